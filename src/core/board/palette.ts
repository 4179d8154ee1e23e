// Every action of the terminal board with its key, found by letters in their order. Pure.
import { closeness } from './board-rows.ts'
import type { OwnAction } from './own-actions.ts'

export interface PaletteEntry {
  /** As pressed on the list: `return`, `space` or the character. */
  key: string
  what: string
}

const ENTRIES: readonly PaletteEntry[] = [
  { key: 'return', what: 'attach to the session' },
  { key: 'space', what: 'read it and reply' },
  { key: 'a', what: 'reply, also while it asks' },
  { key: 'y', what: 'open the request for permission, to allow or reject it' },
  { key: 'v', what: 'show the diff' },
  { key: 'm', what: 'merge the pull request at the head that is shown' },
  { key: 'o', what: 'approve the pull request at the head that is shown' },
  { key: 'c', what: 'request changes of the head that is shown' },
  { key: 'i', what: 'interrupt: stop the turn; the agent stays' },
  { key: 'x', what: 'kill: end the agent and keep its work' },
  { key: 'b', what: 'restore: bring an ended session back, or start one that waits' },
  { key: 'p', what: 'pin the session to the top of its list, or unpin it' },
  { key: 'z', what: 'snooze what it needs for an hour' },
  { key: 's', what: 'search prompts, messages, terminals, conversations and diffs' },
  { key: 't', what: 'turns: go back to before one, files and conversation' },
  { key: 'u', what: 'undo what a person did last' },
  { key: '!', what: 'pause everything: stop every agent where it is, or resume' },
  { key: '1', what: 'go to the queue' },
  { key: '2', what: 'go to the sessions' },
  { key: '3', what: 'go to the pull requests' },
  { key: '4', what: 'go to the train' },
  { key: '/', what: 'find a row' },
  { key: '?', what: 'all keys' },
  { key: 'q', what: 'quit; the agents go on' },
]

/** A person's own ones first: they may have the key of another. The closest first. */
export function paletteEntries(actions: readonly OwnAction[], text: string): PaletteEntry[] {
  const own = actions.map(({ name, key }) => ({ key, what: name }))
  const all = [...own, ...ENTRIES.filter(({ key }) => !actions.some((one) => one.key === key))]
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean)
  return all
    .flatMap((entry, order) => {
      const scores = terms.map((term) => closeness(term, entry.what.toLowerCase()))
      return scores.includes(null) ? [] : [{ entry, order, score: scores.reduce<number>((sum, one) => sum + one!, 0) }]
    })
    .sort((a, b) => a.score - b.score || a.order - b.order)
    .map(({ entry }) => entry)
}
