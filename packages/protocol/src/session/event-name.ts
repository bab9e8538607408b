/** The event of a turn that an answer started: the question outlived the turn in which it was asked. */
export const interactionSubmitted = 'interaction.submitted';

/** The one event that carries somebody's words. */
export const messageReceived = 'message.received';
