// `reactions` and `budget`: of all projects, and of one.
import { BUDGET_ACTIONS } from '../budget.ts'
import type { Consent } from './consent.ts'
import { group, key, listed, type Value } from './key.ts'
import { amount, duration, flag, oneOf, text, wholeNumber } from './values.ts'

export const REACTION_KEYS = [
  'ci-failed',
  'changes-requested',
  'bugbot-comments',
  'merge-conflicts',
  'review',
  'review-findings',
  'approved-and-green',
  'agent-stuck',
  'agent-needs-input',
  'agent-exited',
  'agent-idle',
  'pr-closed',
  'landing-failed',
  'collision',
  'over-budget',
  'limit-reached',
  'limit-reset',
  'all-complete',
] as const

/** Sent by the loop, which decides anew what to send; all other senders sent it for good. */
export function isReaction(source: string): boolean {
  return REACTION_KEYS.some((key) => key === source || source.startsWith(`${key} `))
}

export const PRIORITIES = ['urgent', 'action', 'warning', 'info'] as const

const attemptsOrDuration: Value<number | string> = {
  input: 'number',
  schema: (z) =>
    z.union([wholeNumber(0).schema(z), duration.schema(z)], 'must be a number of attempts, or a duration such as 30m'),
}

/** Text for agents and people, and numbers. What merges and what restarts agents is a matter of consent. */
const reactionWith = (auto: Consent) =>
  group(
    { about: '', merge: 'keys' },
    {
      auto: key(flag, auto, 'false: do nothing by itself', {
        field: { label: 'By itself', hint: 'false: it is only shown' },
      }),
      action: key(
        oneOf(['send-to-agent', 'notify', 'auto-merge', 'restart-agent', 'off']),
        { verdict: 'automatic', but: ['send-to-agent', 'notify', 'off'] },
        'off: neither the agent nor a person hears of it',
        { field: { label: 'Then' } },
      ),
      priority: key(oneOf(PRIORITIES), 'harmless', 'How urgent it is for a person', { field: { label: 'Priority' } }),
      threshold: key(duration, 'harmless', 'How long the state must last first', {
        field: { label: 'After it has lasted', hint: 'Such as 10m' },
      }),
      retries: key(wholeNumber(0), 'harmless', 'How often it is tried before a person is notified', {
        field: { label: 'Tries before a person is notified' },
      }),
      escalateAfter: key(attemptsOrDuration, 'harmless', 'Attempts or time after which a person is notified', {
        field: { label: 'A person is notified after', hint: 'A number of attempts, or a duration such as 30m' },
      }),
      message: key(text, 'harmless', 'Text sent to the agent or the person', {
        verbatim: true,
        field: { label: 'Message', hint: 'Instead of the usual one', isLong: true },
      }),
    },
  )

export const reaction = reactionWith('harmless')
/** Merges, or starts an agent, unless something else is said: it only has to be switched on. */
const starting = reactionWith({ verdict: 'automatic', but: [false] })

export const reactions = listed(
  REACTION_KEYS,
  {
    about: 'What happens by itself when a session needs something',
    merge: 'keys',
    except: { 'approved-and-green': starting, review: starting },
  },
  reaction,
)

export const budget = (day: string) =>
  group('How much money may be spent, and what happens then; as far as prices are known', {
    session: key(amount, 'harmless', 'What one session may cost, such as 5 USD', {
      field: { label: 'One session may cost', hint: 'Such as 5 USD' },
    }),
    day: key(amount, 'harmless', day, { field: { label: 'All sessions on one day', hint: 'Such as 50 USD' } }),
    action: key(
      oneOf(BUDGET_ACTIONS),
      'harmless',
      'notify (by default); pause: its agent is stopped where it is, as by `ao pause`, until it may spend more; stop: its agent is ended. Its work is kept',
      { field: { label: 'At the limit', inherited: 'notify' } },
    ),
  })
