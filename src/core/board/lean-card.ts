// Cards without what nearly all of them have: a page may follow ten thousand sessions, and most of a card says that there is nothing.
// Pure, for server and page.
import type { SessionCard } from '../../contract/dashboard/cards.ts'

/** What a lean card does not say. None may change, or be added for a field that is there already: page and server can be of different versions. */
const USUAL = {
  role: 'worker',
  waits: null,
  activity: null,
  unknown: null,
  paused: null,
  need: null,
  snoozedUntil: null,
  account: null,
  place: null,
  model: null,
  branch: null,
  issue: null,
  pr: null,
  otherPulls: [],
  task: null,
  operation: null,
  cost: null,
  spent: null,
  limitResetsAt: null,
  lastMessage: null,
  permissions: [],
  meets: [],
  changedChecks: [],
  findings: [],
} as const satisfies Partial<SessionCard>

const USUAL_BUDGET: SessionCard['budget'] = { limitUsd: null, over: null }

const USUAL_ABILITIES: SessionCard['can'] = {
  send: true,
  kill: true,
  remove: false,
  restore: false,
  start: false,
  merge: false,
  view: 'terminal',
}

type Usual = keyof typeof USUAL | 'budget' | 'can'

export type LeanCard = Omit<SessionCard, Usual> &
  Partial<Pick<SessionCard, keyof typeof USUAL>> & {
    budget?: Partial<SessionCard['budget']>
    can?: Partial<SessionCard['can']>
  }

export function leanCard({ budget, can, ...card }: SessionCard): LeanCard {
  const overBudget = unusual(budget, USUAL_BUDGET)
  const abilities = unusual(can, USUAL_ABILITIES)
  return {
    ...(unusual(card, USUAL) as Omit<LeanCard, 'budget' | 'can'>),
    ...(overBudget && { budget: overBudget }),
    ...(abilities && { can: abilities }),
  }
}

export function wholeCard({ budget, can, ...card }: LeanCard): SessionCard {
  // The same objects in all cards: nobody changes a card.
  return {
    ...(USUAL as unknown as Pick<SessionCard, keyof typeof USUAL>),
    ...card,
    budget: budget ? { ...USUAL_BUDGET, ...budget } : USUAL_BUDGET,
    can: can ? { ...USUAL_ABILITIES, ...can } : USUAL_ABILITIES,
  }
}

/** null: nothing is. */
function unusual<T extends object>(given: T, usual: Partial<Record<keyof T, unknown>>): Partial<T> | null {
  const entries = Object.entries(given).filter(([name, value]) => !isSame(value, usual[name as keyof T]))
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Partial<T>)
}

function isSame(value: unknown, usual: unknown): boolean {
  return value === usual || (Array.isArray(value) && Array.isArray(usual) && value.length === 0)
}
