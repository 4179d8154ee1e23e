// What a rewind says about itself, on the command line, the terminal board and the page.
export interface RewoundFacts {
  /** About anything that is not as it was. */
  notice: string | null
  conversation: 'back' | 'next-start' | 'kept'
  /** Why its agent still remembers what came later; null: it does not. */
  keptBecause: string | null
}

export function rewoundLines({ notice, conversation, keptBecause }: RewoundFacts): string[] {
  const remembers = {
    back: 'Its agent has gone back, too, and remembers nothing of what came later.',
    'next-start': 'Its agent is not running; with its next start it goes back, too.',
    kept: `Only files were brought back: its agent still remembers what came later, because ${keptBecause}.`,
  }[conversation]
  return notice === null ? [remembers] : [notice, remembers]
}
