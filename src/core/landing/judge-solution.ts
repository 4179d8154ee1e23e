// Is a solved file what came out of its conflicts, and nothing else? Only then can the solution be used again for another pull
// request: what somebody changed elsewhere in the file at the same time is not a solution. Pure.

/** `marked`: the file as git leaves it, with conflict markers. */
export function isPlainSolution(marked: string, solved: string): boolean {
  const parts = splitAtConflicts(marked)
  if (parts === null || parts.length < 2 || hasMarkers(solved)) return false
  const first = parts[0]!
  const last = parts.at(-1)!
  if (!solved.startsWith(first) || !solved.endsWith(last) || solved.length < first.length + last.length) return false
  // What lies between two conflicts has to follow in order.
  let rest = solved.slice(first.length, solved.length - last.length)
  for (const part of parts.slice(1, -1)) {
    const at = rest.indexOf(part)
    if (at === -1) return false
    rest = rest.slice(at + part.length)
  }
  return true
}

/** The text around the conflicts; null: the markers do not match up. */
function splitAtConflicts(marked: string): string[] | null {
  const parts = ['']
  let state: 'outside' | 'ours' | 'base' | 'theirs' = 'outside'
  for (const line of marked.split(/(?<=\n)/)) {
    if (line.startsWith('<<<<<<< ')) {
      if (state !== 'outside') return null
      state = 'ours'
    } else if (state === 'ours' && line.startsWith('||||||| ')) state = 'base'
    else if ((state === 'ours' || state === 'base') && line.trimEnd() === '=======') state = 'theirs'
    else if (state === 'theirs' && line.startsWith('>>>>>>> ')) {
      state = 'outside'
      parts.push('')
    } else if (state === 'outside') parts[parts.length - 1] += line
  }
  return state === 'outside' ? parts : null
}

function hasMarkers(text: string): boolean {
  return /^(<<<<<<<|>>>>>>>) /m.test(text)
}
