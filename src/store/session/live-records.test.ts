import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempStore, PAIRS, RESERVED, type TempStore } from '../../../test/store/temp-store.ts'
import { THOROUGH } from '../../../test/support/cover.ts'
import { createRandom, type Random } from '../../rehearsal/random.ts'

let temp: TempStore
let end: () => void

beforeEach(() => {
  temp = createTempStore()
  temp.store.ensure()
  end = temp.store.follow()
})
afterEach(async () => {
  end()
  await temp.temp.cleanup()
})

/** Everything that the system has reported by now was delivered. */
async function turn(): Promise<void> {
  for (let n = 0; n < 2; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** As a process that has just started reads them. */
function fromScratch() {
  const store = temp.again()
  return store.list().flatMap((id) => store.read(id) ?? [])
}

const pathOf = (id: string) => temp.store.paths.sessionFile(id)

/** As the wrappers and every other process do it: a new file in the place of the old one. */
function replace(id: string, text: string): void {
  const temporary = join(temp.store.paths.sessions, `.${id}.tmp`)
  writeFileSync(temporary, text)
  if (statSync(pathOf(id), { throwIfNoEntry: false })?.isDirectory()) rmSync(pathOf(id), { recursive: true })
  renameSync(temporary, pathOf(id))
}

type Change = (id: string, random: Random) => unknown

const CHANGES: readonly Change[] = [
  (id, random) => replace(id, `project=my-service\nstatus=working\nsummary=${random.below(1e6)}\n`),
  (id) => rmSync(pathOf(id), { recursive: true, force: true }),
  // An edit in place changes neither the name nor the directory.
  (id, random) => temp.store.read(id)?.isUnreadable === undefined && append(id, `note=${random.below(1e6)}\n`),
  (id, random) => replace(id, random.chance(0.5) ? '' : '\u0000 no pair'),
  (id) => {
    rmSync(pathOf(id), { recursive: true, force: true })
    mkdirSync(pathOf(id))
  },
  (id) => {
    rmSync(pathOf(id), { recursive: true, force: true })
    // Into a directory that does not exist: nothing can be written through it.
    symlinkSync(join(temp.store.paths.sessions, 'none', id), pathOf(id))
  },
  (id, random) =>
    utimesSync(temp.store.paths.sessions, new Date(), new Date(Date.now() - random.below(1e6) * (id ? 1 : 0))),
  (id) =>
    temp
      .again()
      .reserve(id, PAIRS as never, RESERVED)
      .catch(() => undefined),
  (id, random) =>
    temp
      .again()
      .update(id, { summary: `other ${random.below(1e6)}` })
      .catch(() => undefined),
  (id, random) => temp.store.update(id, { summary: `own ${random.below(1e6)}` }).catch(() => undefined),
  (id) => temp.store.archive(id).catch(() => undefined),
  (id) =>
    temp
      .again()
      .unarchive(id)
      .catch(() => undefined),
]

function append(id: string, text: string): void {
  try {
    appendFileSync(pathOf(id), text)
  } catch {
    // There is no such file, or not one that can be written: nothing changes.
  }
}

it.each(THOROUGH ? [1, 2, 3, 4, 5, 6, 7, 8] : [2, 3])(
  'whatever changes the records, all of them are as if they were read from scratch (life %i)',
  async (seed) => {
    const random = createRandom(seed)
    const ids = Array.from({ length: 5 }, (_, n) => `app-${n + 1}`)
    for (let step = 0; step < 40; step++) {
      for (let n = 0; n <= random.below(4); n++) {
        await random.pick(CHANGES)(random.pick(ids), random)
        if (random.chance(0.2)) temp.store.readAll()
      }
      await turn()
      expect(temp.store.readAll()).toEqual(fromScratch())
    }
  },
)

it('a record that another process replaced or added is read at once, before the system has reported it', () => {
  replace('app-1', 'status=working\n')
  expect(temp.store.readAll().map(({ pairs }) => pairs.status)).toEqual(['working'])
  replace('app-1', 'status=killed\n')
  replace('app-2', 'status=merged\n')
  utimesSync(temp.store.paths.sessions, new Date(), new Date(1_000_000))
  expect(temp.store.readAll().map(({ pairs }) => pairs.status)).toEqual(['killed', 'merged'])
})

it('what this process wrote is read at once', async () => {
  replace('app-1', 'status=working\n')
  temp.store.readAll()
  await temp.store.update('app-1', { summary: 'new' })
  expect(temp.store.readAll()[0]?.pairs.summary).toBe('new')
})

it('records that have not changed stay the same objects, and so does the list of them', async () => {
  for (const id of ['app-1', 'app-2']) replace(id, 'status=working\n')
  for (const id of ['app-1', 'app-2']) utimesSync(pathOf(id), new Date(1_000_000), new Date(1_000_000))
  await turn()
  const before = temp.store.readAll()
  await turn()
  expect(temp.store.readAll()).toBe(before)
  replace('app-2', 'status=killed\n')
  await turn()
  const after = temp.store.readAll()
  expect(after[0]).toBe(before[0])
  expect(after[1]?.pairs.status).toBe('killed')
})

it('a directory that was replaced as a whole is followed from then on', async () => {
  replace('app-1', 'status=working\n')
  temp.store.readAll()
  const { sessions } = temp.store.paths
  renameSync(sessions, `${sessions}.old`)
  mkdirSync(sessions)
  expect(temp.store.readAll()).toEqual([])
  replace('app-2', 'status=working\n')
  await turn()
  expect(temp.store.readAll().map(({ id }) => id)).toEqual(['app-2'])
  append('app-2', 'note=in place\n')
  await turn()
  expect(temp.store.readAll()[0]?.pairs.note).toBe('in place')
})

it('is read in full for each call when nobody follows it', () => {
  replace('app-1', 'status=working\n')
  expect(temp.store.isFollowed()).toBe(true)
  end()
  expect(temp.store.isFollowed()).toBe(false)
  replace('app-1', 'status=killed\n')
  expect(temp.store.readAll()[0]?.pairs.status).toBe('killed')
})
