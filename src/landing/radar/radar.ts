// The radar of one project: which live branches meet, and where. It remembers what it has seen, so that a moved head costs
// only its own comparisons and merges, and an unchanged project costs no process at all.
import type { RadarPicture } from '../../contract/dashboard/radar.ts'
import { resolveRefs } from '../../git/repository.ts'
import { createTurns } from '../../lib/lock/turns.ts'
import { drawPicture } from './draw-picture.ts'
import type { RadarGit } from './radar-git.ts'
import { createMemory, forgetOthers, type Memory, type RadarOptions, type RadarRequest } from './radar-memory.ts'
import { objectsOfClones, readHeads } from './read-heads.ts'

export interface Radar {
  /** The same object while nothing has changed. */
  observe(request: RadarRequest): Promise<RadarPicture>
  close(): void
}

const DEFAULT_BUDGET_MS = 4_000
/** Then everything is read anew, so that their objects do not pile up. */
const MOST_SNAPSHOTS = 5_000

export function createRadar(options: RadarOptions): Radar {
  let memory: Memory | null = null
  const turns = createTurns()
  const forget = () => {
    memory?.objects.remove()
    memory = null
  }
  return {
    observe(request) {
      return turns.run('', () => {
        if (memory !== null && memory.taken > MOST_SNAPSHOTS) forget()
        memory ??= createMemory(options)
        return observe(options, memory, request)
      })
    },
    close: forget,
  }
}

async function observe(options: RadarOptions, memory: Memory, request: RadarRequest): Promise<RadarPicture> {
  const repository = options.repository()
  const deadline = performance.now() + (request.budgetMs ?? DEFAULT_BUDGET_MS)
  const git: RadarGit = { repository, objects: memory.objects, others: objectsOfClones(repository, request.branches) }
  const refs = [...options.baseRefs, ...request.branches.map(({ branch }) => `refs/heads/${branch}`)]
  const tips = await resolveRefs(repository, refs)
  const base = options.baseRefs.map((ref) => tips.get(ref)).find((tip) => tip !== undefined) ?? null
  const seen = await readHeads(git, memory, request.branches, tips)
  const key = JSON.stringify([base, seen.map(({ branch: { activeAt, ...branch }, snapshot }) => [branch, snapshot])])
  if (memory.last?.key === key && memory.last.picture.pending === 0) return memory.last.picture
  const picture = await drawPicture({ options, memory, git, base, seen, deadline })
  forgetOthers(memory, seen, base)
  memory.last = { key, picture }
  return picture
}
