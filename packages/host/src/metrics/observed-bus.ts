import type { Bus, Committed } from '../bus/port.ts';

/** The same bus; `heard` is told of every announcement, of whatever session, before its followers. */
export function observed(bus: Bus, heard: (committed: Committed) => void): Bus {
  return {
    publish: (topic, message) => bus.publish(topic, message),
    subscribe: (topic, listener) => bus.subscribe(topic, listener),
    follow: (session_id, listener) => bus.follow(session_id, listener),
    announce(committed) {
      heard(committed);
      bus.announce(committed);
    },
  };
}
