// The train's file, `landing/train.json`: its state and the last events. Replaced as a whole under a lock, so that a crash
// keeps the old content or the new one.
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import {
  EMPTY_TRAIN,
  evolve,
  type Left,
  type TrainEvent,
  type TrainEventBody,
  type TrainState,
} from '../../core/landing/train-state.ts'
import type { LandingFailure } from '../../core/reactions/pull-news.ts'
import { requireOwnVersion, writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { createFileMemory } from '../../lib/file-memory.ts'
import { withLock } from '../../lib/lock.ts'
import { readIfThere } from '../../lib/plain-file.ts'

export interface TrainFile {
  /** Everything of the train is below it. */
  directory: string
  read(): TrainState
  /** Oldest first. */
  events(): TrainEvent[]
  /** Durable when it resolves. */
  append(event: TrainEventBody): Promise<TrainState>
}

interface Content {
  state: TrainState
  events: TrainEvent[]
}

const MOST_EVENTS = 200

export function openTrainFile({ projectDir, clock }: { projectDir: string; clock: Clock }): TrainFile {
  const directory = join(projectDir, 'landing')
  const path = join(directory, 'train.json')
  return {
    directory,
    read: () => readContent(path).state,
    events: () => readContent(path).events,
    async append(body) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const event: TrainEvent = { ...body, at: clock.now().toISOString() }
      const state = await withLock(join(directory, '.lock'), () => {
        const before = readContent(path)
        const after = { state: evolve(before.state, event), events: [...before.events, event].slice(-MOST_EVENTS) }
        writeFileAtomic(path, `${JSON.stringify(after)}\n`)
        return after.state
      })
      failpoint(`train.${event.type}`)
      return state
    },
  }
}

/** Every session with a pull request asks in every round. */
const memory = createFileMemory<Content>()

/** A damaged file is not an empty train: it would forget who was removed, and why. */
function readContent(path: string): Content {
  const cached = memory.recall(path)
  if (cached !== null) return cached
  const stats = lstatSync(path, { throwIfNoEntry: false })
  const text = readIfThere(path)
  if (text === null) return { state: EMPTY_TRAIN, events: [] }
  try {
    const { state, events } = JSON.parse(text) as Partial<Content>
    if (!Array.isArray(state?.riders)) throw new Error('it has no riders')
    const content = { state: { ...EMPTY_TRAIN, ...state }, events: Array.isArray(events) ? events.filter(Boolean) : [] }
    if (stats) memory.keep(path, content, stats)
    return content
  } catch (error) {
    requireOwnVersion(path)
    throw new AoError('FILE_UNUSABLE', `${path} is damaged: ${(error as Error).message}`, {
      hint: `Nothing lands until it is gone; riders board again by themselves: mv '${path}' '${path}.damaged'`,
      details: { path },
    })
  }
}

/** null: it left for another reason. */
export function conflictOf({ why, files = [], onto, said, partners, hunks }: Left): LandingFailure | null {
  const pulls = onto?.cars.map(({ pull }) => pull) ?? []
  if (why === 'stranded') return { why, commit: onto?.commit ?? '', pulls }
  if (why !== 'conflict') return null
  return { why, files, said, partners, hunks, onto: onto && { commit: onto.commit, pulls } }
}
