import type { BindingConfig, ScheduleConfig } from '@rostra/protocol/config/entry-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import { bindingOf } from './entry-binding.ts';
import { type EntryEvent, SYSTEM, systemActor } from './entry-event.ts';
import type { EventGateway } from './event-gateway.ts';

/** The first time after an instant at which a schedule is due; null when there is none. */
export type NextTime = (schedule: Pick<ScheduleConfig, 'cron' | 'timezone'>, after: number) => number | null;

export interface SchedulerOptions {
  readonly gateway: Pick<EventGateway, 'take'>;
  /** Whose sessions its events enter; nobody speaks there but the system. */
  readonly owner: Principal;
  /** Schedules are read by the wall. */
  readonly wall: Clock;
  readonly nextTime: NextTime;
  bindings(): readonly BindingConfig[];
  /** A time that came to nothing, and why. */
  refused(schedule_id: string, planned: string, reason: ApiError): void;
}

interface Armed {
  readonly schedule: ScheduleConfig;
  readonly planned: number;
}

/**
 * Brings the events of schedules. A time that passes while the host is down is not made up for; one that passes while
 * the machine sleeps comes once, on waking. The same time never comes twice: its event has the schedule and the time
 * for its id.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #armed: readonly Armed[] = [];
  #callOff: (() => void) | null = null;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** From now on these hold. One whose times have not changed still has the time that it waits for. */
  apply(schedules: readonly ScheduleConfig[]): void {
    const now = this.#options.wall.now();
    this.#armed = schedules.flatMap((schedule) => {
      const waiting = this.#armed.find((armed) => isSameTime(armed.schedule, schedule));
      return waiting === undefined ? this.#arm(schedule, now) : [{ ...waiting, schedule }];
    });
    this.#sleep();
  }

  stop(): void {
    this.#armed = [];
    this.#callOff?.();
    this.#callOff = null;
  }

  #arm(schedule: ScheduleConfig, after: number): Armed[] {
    const planned = this.#options.nextTime(schedule, after);
    return planned === null ? [] : [{ schedule, planned }];
  }

  #sleep(): void {
    this.#callOff?.();
    this.#callOff = null;
    if (this.#armed.length === 0) return;
    const next = Math.min(...this.#armed.map(({ planned }) => planned));
    this.#callOff = this.#options.wall.at(next, () => this.#look());
  }

  #look(): void {
    const now = this.#options.wall.now();
    this.#armed = this.#armed.flatMap((armed) => {
      if (armed.planned > now) return [armed];
      void this.#fire(armed);
      return this.#arm(armed.schedule, now);
    });
    this.#sleep();
  }

  async #fire({ schedule, planned }: Armed): Promise<void> {
    const { gateway, owner, bindings, refused } = this.#options;
    try {
      const origin = { entry: 'schedule' as const, principal: owner, speaker: SYSTEM };
      await gateway.take(eventOf(schedule, planned), origin, () => bindingOf('schedule', schedule, bindings()));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused(schedule.id, new Date(planned).toISOString(), error);
    }
  }
}

function isSameTime(one: ScheduleConfig, other: ScheduleConfig): boolean {
  return one.id === other.id && one.cron === other.cron && one.timezone === other.timezone;
}

function eventOf({ id, cron, timezone, data }: ScheduleConfig, planned: number): EntryEvent {
  const planned_at = new Date(planned).toISOString();
  return {
    envelope: {
      event: {
        event_id: `schedule:${id}:${planned_at}`,
        event_type: 'schedule.triggered',
        event_time: Math.floor(planned / 1000),
        source: 'scheduler',
        source_event_type: null,
        raw_ref: null,
        data,
      },
      conversation: null,
      actor: systemActor,
      subject: { subject_type: 'schedule', subject_id: id, data: { cron, timezone, planned_at } },
      input: null,
      delivery: null,
    },
    trigger_source: 'scheduler',
    adapter: null,
    raw: null,
    files: [],
  };
}
