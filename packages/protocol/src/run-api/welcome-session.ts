/** The session in which a host that was never used greets its owner. Frontends open it first, as long as it is the only one. */
export const WELCOME_SESSION_ID = '57e1c03e-0000-8000-8000-000000000000';

/** What its first turn answers: nobody has said a word there yet. */
export const WELCOME_EVENT = 'session.welcome';
