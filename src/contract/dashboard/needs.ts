// The words for what a session needs from a person. Separate from the schemas, which the page does not load.

/** In the order of the queue. */
export const NEED_KINDS = ['permission', 'question', 'error', 'finished', 'review', 'merge'] as const
export type NeedKind = (typeof NEED_KINDS)[number]

/**
 * Why an agent cannot continue. signed_out: its account has to be signed in. limit: a quota is used up. overloaded: the
 * provider does not answer. budget: it has spent what it may. ended: it ended on its own. lost: its runtime
 * no longer has it, as after a restart of the machine, and how it ended is unknown. gave_up: a reaction tried in vain. silent: no sign of activity.
 * expired: nobody answered its request in time, and it was refused. held_back: it waits for work that will not land.
 */
export const ERROR_CAUSES = [
  'signed_out',
  'limit',
  'overloaded',
  'budget',
  'ended',
  'lost',
  'gave_up',
  'silent',
  'expired',
  'held_back',
  'other',
] as const
export type ErrorCause = (typeof ERROR_CAUSES)[number]

/** What a person can do about it; the likely one first. */
export const NEED_ACTS = [
  'allow',
  'reject',
  'answer',
  'sign_in',
  'retry',
  'raise',
  'restore',
  'start',
  'hand_in',
  'ask_again',
  'done',
  'snooze',
  'review',
  'merge',
] as const
export type NeedAct = (typeof NEED_ACTS)[number]

/** What the agent is asked for *retry*. */
export const RETRY_MESSAGE = 'The last turn did not succeed. Try again, and continue with your task.'

/** What the agent is asked for *ask again*. */
export const ASK_AGAIN_MESSAGE =
  'Nobody answered your last request for permission in time, so it was refused. Someone is here now: ask again if you still need it, and continue with your task.'
