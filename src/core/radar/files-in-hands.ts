// Which files a task will probably change, and who is changing them now. Pure.

/** What a session has changed so far, and the labels of its issue. */
export interface OngoingWork {
  id: string
  labels: string[]
  paths: string[]
}

export interface Task {
  /** Title and text of the issue, and the prompt. */
  text: string
  labels: readonly string[]
}

export interface InHands {
  path: string
  sessionId: string
  /** named: by the task. label: work on the same label changed it before. */
  why: 'named' | 'label'
}

/** A path with a directory, or a file's name with an extension. */
const PATH = /(?<![\w@.-])(?:[\w@.-]*(?:\/[\w@.-]+)+\/?|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,7}\b)/g
const LONGEST_TEXT = 100_000
const MOST = 10
/** A file is typical of a label when at least this share of the earlier work changed it, and more than one did. */
const SHARE = 0.5

/** `known`: all that is remembered. `isLive`: somebody works on it now. */
export function filesInHands(task: Task, ongoing: readonly OngoingWork[], isLive: (id: string) => boolean): InHands[] {
  const named = namedPaths(task.text)
  const typical = typicalPaths(task.labels, ongoing)
  const found = ongoing
    .filter(({ id }) => isLive(id))
    .flatMap(({ id, paths }) =>
      paths.flatMap((path): InHands[] => {
        if (named.some((name) => isMeant(name, path))) return [{ path, sessionId: id, why: 'named' }]
        return typical.has(path) ? [{ path, sessionId: id, why: 'label' }] : []
      }),
    )
  return found.sort((a, b) => Number(a.why === 'label') - Number(b.why === 'label')).slice(0, MOST)
}

export function namedPaths(text: string): string[] {
  const paths = [...text.slice(0, LONGEST_TEXT).matchAll(PATH)].map(([word]) => word.replace(/^\.?\//, ''))
  return [...new Set(paths.map((word) => word.replace(/(?<![.:])[.:]+$/, '')))].filter((word) => word.length > 2)
}

/** `cart.ts` means `src/cart.ts`; `src/cart/` means everything below it. */
function isMeant(name: string, path: string): boolean {
  const directory = name.endsWith('/') ? name : `${name}/`
  return path === name || path.endsWith(`/${name}`) || path.startsWith(directory) || path.includes(`/${directory}`)
}

function typicalPaths(labels: readonly string[], ongoing: readonly OngoingWork[]): Set<string> {
  const typical = new Set<string>()
  for (const label of labels) {
    const earlier = ongoing.filter((work) => work.labels.includes(label))
    const counts = new Map<string, number>()
    for (const path of earlier.flatMap(({ paths }) => [...new Set(paths)]))
      counts.set(path, (counts.get(path) ?? 0) + 1)
    for (const [path, count] of counts) if (count > 1 && count >= earlier.length * SHARE) typical.add(path)
  }
  return typical
}

/** One sentence per session, for people. */
export function describeInHands(found: readonly InHands[]): string[] {
  const bySession = Map.groupBy(found, ({ sessionId }) => sessionId)
  return [...bySession].map(([sessionId, files]) => {
    const [first] = files
    const more = files.length > 1 ? ` and ${files.length - 1} more` : ''
    const why = first!.why === 'named' ? 'which the task names' : 'which work on this label usually changes'
    return `${sessionId} is changing ${first!.path}${more}, ${why}; ao radar shows where they meet`
  })
}
