// A person's own actions on the terminal board: which key is which, and the exact words that are run for a session. Pure.
import type { SessionCard } from '../../contract/dashboard/cards.ts'

export interface OwnAction {
  name: string
  key: string
  run: readonly string[]
}

type Configured = Readonly<Record<string, { key: string; run: readonly string[] }>>

/** Of two with one key, the first. */
export function ownActions(configured: Configured = {}): OwnAction[] {
  const all = Object.entries(configured).map(([name, { key, run }]) => ({ name, key, run }))
  return [...new Map(all.toReversed().map((one) => [one.key, one])).values()].reverse()
}

const VALUES: Readonly<Record<string, (card: SessionCard) => string | null>> = {
  session: ({ id }) => id,
  project: ({ projectId }) => projectId,
  branch: ({ branch }) => branch,
  pr: ({ pr }) => pr?.url ?? null,
}

/** Words for a program, which no shell reads; or why not. What is inserted is not read again. */
export function expandAction({ name, run }: OwnAction, card: SessionCard): string[] | string {
  const [program = '', ...args] = run
  if (program === '') return `${name} runs nothing.`
  let why: string | null = null
  const fill = (template: string) => {
    const word = template.replace(/\{(session|project|branch|pr)\}/g, (_whole, value: string) => {
      const text = VALUES[value]!(card)
      if (text === null) why ??= `${card.id} has no ${value}.`
      return text ?? ''
    })
    // An agent names its branch: the program must not take that for an option.
    if (word.startsWith('-') && !template.startsWith('-')) why ??= `${name} would take ${word} for an option.`
    if (word.includes('\0')) why ??= `${name} cannot be given a word with a NUL.`
    return word
  }
  const filled = [program, ...args.map(fill)]
  return why ?? filled
}
