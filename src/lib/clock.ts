// The only source of time outside tests.

export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
