// Which session a person means: an id, a prefix of one, or a name.

export interface Named {
  id: string
  name: string | null
  state: string
}

export type Match = { kind: 'one'; id: string } | { kind: 'several'; ids: string[] } | { kind: 'none' }

/** The common prefix of all ids may be left out. */
const ID_PREFIX = 'sess-'

/** An id wins over a name, a name over an id prefix; a running session wins over stopped ones with the same name. */
export function matchSession(reference: string, sessions: readonly Named[]): Match {
  if (reference === '') return { kind: 'none' }
  if (sessions.some(({ id }) => id === reference)) return { kind: 'one', id: reference }
  const named = sessions.filter(({ name }) => name === reference)
  const running = named.filter(({ state }) => state !== 'stopped')
  const chosen = running.length > 0 ? running : named
  if (chosen.length > 0) return toMatch(chosen)
  return toMatch(sessions.filter(({ id }) => id.startsWith(reference) || id.startsWith(`${ID_PREFIX}${reference}`)))
}

function toMatch(found: readonly Named[]): Match {
  const [first, ...more] = found
  if (!first) return { kind: 'none' }
  return more.length === 0 ? { kind: 'one', id: first.id } : { kind: 'several', ids: found.map(({ id }) => id) }
}
