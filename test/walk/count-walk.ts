// A walk: the files of a flow in the order in which somebody who follows it opens them.
//
// Files are those with at least one function entered in the flow, without the leaf rooms (recorder.ts).
//
// A return is going back to a file that was already opened and left: a function of it is executed for the first time, after new
// functions of other files, and it is called from a file that it was not called from before. A file is read with the
// functions that it calls itself, and whoever follows the same call a second time knows where it leads.
import type { Step } from './recorder.ts'

export interface Walk {
  files: number
  returns: number
  /** One for each time that a file is opened. */
  visits: Visit[]
}

export interface Visit {
  file: string
  /** The file that called; null: an event did. */
  from: string | null
  functions: string[]
  isReturn: boolean
}

export function countWalk(steps: readonly Step[]): Walk {
  const opened = new Set<string>()
  const executed = new Set<string>()
  const ways = new Set<string>()
  const visits: Visit[] = []
  for (const { file, name, from } of steps) {
    if (executed.has(`${file} ${name}`)) continue
    executed.add(`${file} ${name}`)
    const [shown = ''] = name.split(':')
    const way = `${from} ${file}`
    const last = visits.at(-1)
    if (last?.file === file) last.functions.push(shown)
    else {
      const isReturn = opened.has(file) && from !== file && !ways.has(way)
      visits.push({ file, from, functions: [shown], isReturn })
    }
    opened.add(file)
    ways.add(way)
  }
  return { files: opened.size, returns: visits.filter(({ isReturn }) => isReturn).length, visits }
}
