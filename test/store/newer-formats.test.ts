// A file that a newer program wrote: every writer of it refuses, and leaves it as it is, whatever its format.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTask as readAghTask, removeTask, type writeTask } from '../../src/agh/tasks/task-file.ts'
import { trust } from '../../src/config/trust/trust.ts'
import { FORMATS, VERSION_MARK } from '../../src/contract/formats.ts'
import { createLocalIssues } from '../../src/forge/issues/issue-store.ts'
import { createLabelStore } from '../../src/forge/label-store.ts'
import { createLocalPulls } from '../../src/forge/pulls/pull-store.ts'
import { changeAfter } from '../../src/landing/after-landing.ts'
import { createCheckStore } from '../../src/landing/checks/check-store.ts'
import { openLedger } from '../../src/landing/hosted/ledger.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { writeFileAtomic } from '../../src/lib/atomic-write.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openForAppend } from '../../src/lib/plain-file.ts'
import { changeMembers, membersFile } from '../../src/lifecycle/loop/members.ts'
import { openOutbox } from '../../src/lifecycle/notify/outbox.ts'
import { openPushStore } from '../../src/lifecycle/push/push-store.ts'
import { changePause, pauseFile } from '../../src/store/fleet-pause.ts'
import { projectPaths } from '../../src/store/paths.ts'
import { changeReview } from '../../src/store/reviews.ts'
import { pin, savedFile } from '../../src/store/saved.ts'
import { changeSchedule } from '../../src/store/schedules.ts'
import { trimHistory } from '../../src/store/session/drop-data.ts'
import { takePorts } from '../../src/store/session-ports.ts'
import { changeTask } from '../../src/store/tasks.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { createTempStore, RESERVED, type TempStore } from './temp-store.ts'

let temp: TempHome
let dir: string

beforeEach(() => {
  temp = createTempHome()
  dir = join(temp.home, 'data', 'abc-app')
  mkdirSync(dir, { recursive: true })
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

describe('the beginning of a file', () => {
  it.each([
    ['a record', 'version=2\nproject=app\n'],
    ['JSON', '{"version":2,"list":[]}\n'],
    ['JSON in lines of its own', '{\n  "version": 2,\n  "list": []\n}\n'],
    ['lines of JSON', '{"version":2}\n{"type":"opened"}\n'],
    ['front matter', '---\nversion: 2\ntitle: x\n---\n'],
    ['a task of agh', '{\n  "schema": "agh.task.v2"\n}\n'],
    ['a recorded day', '{"k":"start","v":2,"ao":"9.0.0"}\n'],
  ])('says the version of %s, and it is neither replaced nor appended to', (_what, text) => {
    const file = join(dir, 'file')
    writeFileSync(file, text)
    const refused = expect.objectContaining({
      code: 'FORMAT_NEWER',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('ao upgrade'),
      details: { version: 2, own: 1 },
    })
    expect(() => writeFileAtomic(file, 'mine')).toThrow(refused)
    expect(() => openForAppend(file)).toThrow(refused)
    expect(readFileSync(file, 'utf8')).toBe(text)
    writeFileAtomic(file, 'of another program', { isForeign: true })
    expect(readFileSync(file, 'utf8')).toBe('of another program')
  })

  it.each([
    ['project=app\nversion=1\n'],
    ['version=1\n'],
    ['{"version":1}'],
    ['{"schema":"agh.task.v1"}'],
    ['{"schema":"other.v9"}'],
    ['{"version":"2.0.0"}'],
    ['{"version":{"runs":[]}}'],
    ['[]'],
    [''],
  ])('says nothing of a newer version in %j', (text) => {
    expect(Number(VERSION_MARK.exec(text)?.[1] ?? 1)).toBe(1)
    const file = join(dir, 'file')
    writeFileSync(file, text)
    writeFileAtomic(file, 'mine')
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  it('has no version in what this program writes: every format is of version 1', () => {
    expect(new Set(Object.values(FORMATS))).toEqual(new Set([1]))
  })
})

const NEWER = '{"version":2,"of":"tomorrow"}\n'
const COMMIT = 'a'.repeat(40)
const COMMAND = { name: 'test', run: 'true' }
const clock = systemClock

type Row = [what: string, file: () => string, write: () => unknown, text?: string]
const data = () => ({ dataDir: join(temp.home, 'data'), hash: 'abc' })
const agh = () => ({ tasks: join(temp.home, 'tasks') }) as Parameters<typeof writeTask>[0]

const ROWS: Row[] = [
  ['schedules', () => join(dir, 'schedules.json'), () => changeSchedule(dir, 'tidy', () => ({ since: '', runs: [] }))],
  ['pins', () => savedFile(data()), () => pin(data(), 'app-1', null)],
  ['a shared task', () => join(dir, 'tasks', 't0123abcd.json'), () => changeTask(dir, 't0123abcd', (task) => task!)],
  ['a review', () => join(dir, 'reviews', 'app-1.json'), () => changeReview(dir, 'app-1', (before) => before!)],
  ['the pause', () => pauseFile(data()), () => changePause(data(), () => null)],
  [
    'the train',
    () => join(dir, 'landing', 'train.json'),
    () =>
      openTrainFile({ projectDir: dir, clock }).append({ type: 'landed', pull: 1, headSha: COMMIT, commit: COMMIT }),
  ],
  ['the train of a forge', () => join(dir, 'landing', 'forge.json'), () => openLedger(dir).change({})],
  ['steps after landings', () => join(dir, 'landing', 'after.json'), () => changeAfter(dir, (state) => state!)],
  [
    'the result of a check',
    () => createCheckStore({ projectDir: dir }).logFile(COMMIT, COMMAND).replace(/log$/, 'json'),
    () =>
      createCheckStore({ projectDir: dir }).write(COMMIT, { ...COMMAND, status: 'running', owner: '', startedAt: '' }),
  ],
  ['labels', () => join(dir, 'labels.json'), () => createLabelStore(dir).change((labels) => [...labels])],
  [
    'an issue',
    () => join(dir, 'issues', '1.md'),
    () => createLocalIssues({ projectDir: dir, clock }).update(1, (issue) => ({ ...issue, title: 'mine' })),
    '---\nversion: 2\nnumber: 1\ntitle: x\nstate: open\n---\n\ntext\n',
  ],
  [
    'a pull request',
    () => join(dir, 'pulls', '1', 'events.jsonl'),
    () =>
      createLocalPulls({ projectDir: dir, clock }).change(1, (_pull, append) =>
        append('user', { type: 'edited', title: 'mine' } as never),
      ),
    `${NEWER}{"type":"opened","at":"2026-01-01T00:00:00.000Z","by":"user","title":"x","body":"","head":"b","base":"main","headSha":"${COMMIT}"}\n`,
  ],
  [
    'consents',
    () => join(temp.home, '.ao', 'trust.json'),
    () =>
      trust([{ hash: 'x', kind: 'command', configPath: '/x', what: 'x' } as never], {
        home: temp.home,
        env: temp.env,
        now: new Date(),
      } as never),
  ],
  [
    'ports',
    () => join(temp.home, '.ao', 'ports.json'),
    () => takePorts(temp.home, { record: dir, before: undefined, wanted: { first: 4000, count: 1 }, reserved: [] }),
  ],
  ['repositories of the loop', () => membersFile(temp.home), () => changeMembers(temp.home, (members) => members)],
  ['a task of agh', () => join(agh().tasks, 't1.json'), () => removeTask(agh(), 't1'), '{"schema":"agh.task.v2"}'],
  [
    'a task of agh, again',
    () => join(agh().tasks, 't1.json'),
    () => readAghTask(agh(), 't1'),
    '{"schema":"agh.task.v2"}',
  ],
]

describe('what a newer program wrote', () => {
  it.each(ROWS)('%s: a change is refused, and nothing is', async (_what, fileOf, write, text = NEWER) => {
    const file = fileOf()
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    await expect((async () => write())()).rejects.toMatchObject({ code: 'FORMAT_NEWER' })
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('notifications and subscribers that cannot be read are not removed', () => {
    const outbox = join(dir, 'outbox', `${'0'.repeat(32)}.json`)
    const push = join(dir, 'push', '1'.repeat(32))
    for (const file of [outbox, push]) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, NEWER)
    }
    expect(openOutbox(dirname(outbox)).pending()).toEqual([])
    const files = { push: dirname(push), browsers: join(dir, 'browsers'), devices: join(dir, 'devices') }
    expect(openPushStore(files, clock).list().size).toBe(0)
    for (const file of [outbox, push]) expect(readFileSync(file, 'utf8')).toBe(NEWER)
  })
})

describe('a record', () => {
  let own: TempStore
  let file: string
  const TEXT = 'version=2\nproject=my-service\nstatus=working\nbranch=b\na line of tomorrow\n'
  beforeEach(async () => {
    own = createTempStore()
    await own.store.reserve('app-1', { project: 'my-service' }, { ...RESERVED })
    await own.store.reserve('app-2', { project: 'my-service' }, { ...RESERVED })
    file = own.store.paths.sessionFile('app-1')
    writeFileSync(file, TEXT)
  })
  afterEach(async () => {
    expect(await own.temp.cleanup()).toEqual([])
  })

  it('of a newer version is read and listed as such', () => {
    const stored = own.again().read('app-1')!
    expect(stored).toMatchObject({ newer: 2, record: { branch: 'b', status: 'working' } })
    expect(stored.problems).toEqual([expect.stringContaining('of version 2, which a newer ao wrote')])
    expect(
      own
        .again()
        .readAll()
        .map(({ id }) => id),
    ).toEqual(['app-1', 'app-2'])
  })

  it('of a newer version is neither changed, archived nor removed, its history stays, and the others go on', async () => {
    const history = readFileSync(own.store.paths.historyFile('app-1'), 'utf8')
    const refused = { code: 'FORMAT_NEWER', message: expect.stringContaining(file) }
    for (const act of [
      () => own.store.update('app-1', { branch: 'mine' }),
      () => own.store.archive('app-1'),
      () => own.store.remove('app-1'),
      () => own.store.withOperation('app-1', async () => writeFileSync(file, 'begun')),
    ])
      await expect(act()).rejects.toMatchObject(refused)
    expect(readFileSync(file, 'utf8')).toBe(TEXT)
    expect(readFileSync(own.store.paths.historyFile('app-1'), 'utf8')).toBe(history)
    await own.store.update('app-2', { branch: 'mine' })
    expect(own.store.read('app-2')!.pairs).toMatchObject({ branch: 'mine' })
    expect(own.store.read('app-2')!.pairs.version).toBeUndefined()
  })

  it('of a newer version in the archive is not made active', async () => {
    writeFileSync(file, TEXT.replace('version=2\n', '').replace('a line of tomorrow\n', ''))
    const archived = await own.store.archive('app-1')
    const path = join(own.store.paths.archive, archived)
    writeFileSync(path, TEXT)
    await expect(own.again().unarchive('app-1')).rejects.toMatchObject({ code: 'FORMAT_NEWER' })
    expect(readFileSync(path, 'utf8')).toBe(TEXT)
    expect(own.again().read('app-1')).toBeNull()
  })

  it('has a history that a newer program began, and that is then neither continued nor cut', async () => {
    const path = own.store.paths.historyFile('app-2')
    const text = `${NEWER}${readFileSync(path, 'utf8')}`
    writeFileSync(path, text)
    await expect(own.store.appendEvents('app-2', [])).resolves.toEqual([])
    await expect(
      own.store.update('app-2', { branch: 'c' }, [{ type: 'session.renamed', title: 'x' }]),
    ).rejects.toMatchObject({
      code: 'FORMAT_NEWER',
    })
    await trimHistory({ paths: projectPaths(own.store.paths.dir), clock }, 'app-2').catch(() => 0)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(own.store.readHistory('app-2').events.length).toBeGreaterThan(0)
  })
})
