// `ao session ls` and `ao status` are printed by a running loop: the same bytes, or the command reads the files itself.
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { printFromLoop } from '../../src/cli/ao/lists/ask-loop.ts'
import type { RequestedList } from '../../src/cli/ao/lists/list-request.ts'
import { type ServedLists, serveLists } from '../../src/cli/ao/lists/serve-lists.ts'
import { sessionListText } from '../../src/cli/ao/lists/session-list.ts'
import { statusText } from '../../src/cli/ao/lists/status-list.ts'
import { openConfig } from '../../src/config/load-config-cached.ts'
import type { Loop } from '../../src/lifecycle/loop/create-loop.ts'
import { runFiles } from '../../src/lifecycle/loop/run-state.ts'
import { createManagerContext, followSessions, type ManagerContext } from '../../src/manager/context.ts'
import { managerOf } from '../../src/manager/session-manager.ts'
import { readSaved, savedFile } from '../../src/store/saved.ts'
import { createFakeIo } from '../support/fake-io.ts'
import { createFakeWorld, type FakeWorld } from './fake-world.ts'

let world: FakeWorld
let context: ManagerContext
let lists: ServedLists | null
let stranger: Server | null
let end: () => void

beforeEach(async () => {
  world = await createFakeWorld()
  context = open()
  context.store('my-app').ensure()
  end = followSessions(context)
  const { socket } = runFiles(context.paths)
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
  stranger = null
  lists = await serveLists(placeOf(context), socket)
})
afterEach(async () => {
  await lists?.close()
  stranger?.close()
  end()
  await world.cleanup()
})

function open(change: Partial<FakeWorld['config']> = {}): ManagerContext {
  const { registry, env, temp } = world
  const config = { ...world.config, ...change }
  return createManagerContext({ config, registry, env, home: temp.home, aoCommand: ['ao'] })
}

const placeOf = (one: ManagerContext) => ({ context: one, manager: managerOf(one), loop: {} as Loop })

function ioOf(given: Parameters<typeof createFakeIo>[0] = {}) {
  const { env, temp, configPath } = world
  return createFakeIo({ env, home: temp.home, configPath, clock: { now: () => new Date() }, ...given })
}

/** Both sides share one process here, which may be busy loading modules: time matters only where a test says so. */
async function fromLoop(
  request: RequestedList,
  given: Parameters<typeof createFakeIo>[0] = {},
): Promise<string | null> {
  const { io, stdout } = ioOf(given)
  return (await printFromLoop(request, { config: await openConfig(io), io, beginsWithinMs: 5_000 })) ? stdout() : null
}

async function fromFiles(request: RequestedList, given: Parameters<typeof createFakeIo>[0] = {}): Promise<string> {
  const { io, stdout } = ioOf(given)
  const fresh = open()
  const ao = { manager: managerOf(fresh), config: fresh.config, paths: fresh.paths, log: fresh.log }
  const { pins } = readSaved(ao.paths)
  if (request.command === 'session ls') io.write((await sessionListText({ ...ao, pins }, request.options, io))!)
  else {
    const { project, json, line } = request.options
    io.write((await statusText({ ao, projectId: project, json, line, showProject: false }, io)).text)
  }
  return stdout()
}

const STATUSES = ['working', 'needs_input', 'merged', 'killed', 'stuck', 'ci_failed', 'done', 'no-such-word']

function writeMixedWorld(): void {
  for (const [n, status] of STATUSES.entries()) {
    const id = `my-app-${n + 1}`
    const handle = { id: `${context.paths.hash}-${id}`, runtimeName: 'fake' }
    world.alive.set(handle.id, n % 3 === 0)
    const summary = `summary=wide \u4f60\u597d, hidden %1B[2J\u202e and ${'long '.repeat(30)}`
    const lines = ['project=my-app', `status=${status}`, 'agent=fake', 'createdAt=2024-01-15T10:30:00.000Z', summary]
    const more = ['lastActivityAt=2024-01-15T10:30:00.000Z', `runtimeHandle=${JSON.stringify(handle)}`]
    writeFileSync(world.paths.sessionFile(id), `${[...lines, ...more].join('\n')}\n`)
  }
  writeFileSync(world.paths.sessionFile('my-app-orchestrator'), 'project=my-app\nrole=orchestrator\nstatus=working\n')
  writeFileSync(world.paths.sessionFile('my-app-damaged'), 'not a pair\n')
  const pins = [
    { session: 'my-app-5', folder: 'release' },
    { session: 'my-app-2', folder: null },
  ]
  writeFileSync(savedFile(context.paths), JSON.stringify({ pins }))
  // Their age is that of the file, and must not grow by a second between two reports.
  const longAgo = new Date('2024-01-15T10:30:00.000Z')
  for (const name of ['orchestrator', 'damaged'])
    utimesSync(world.paths.sessionFile(`my-app-${name}`), longAgo, longAgo)
}

const LS: RequestedList = { command: 'session ls', options: { all: false, quiet: false, json: false } }
const ASKED: RequestedList[] = [
  LS,
  { command: 'session ls', options: { all: true, quiet: false, json: false, project: 'my-app' } },
  { command: 'session ls', options: { all: true, quiet: true, json: false } },
  { command: 'session ls', options: { all: false, quiet: false, json: false, folder: 'release' } },
  { command: 'session ls', options: { all: true, quiet: false, json: true } },
  { command: 'status', options: { json: false } },
  { command: 'status', options: { json: true, project: 'my-app' } },
  { command: 'status', options: { json: false, line: true } },
  { command: 'status', options: { json: true, line: true } },
]

it('the loop prints the same bytes as a command that reads the files, however often the sessions change', async () => {
  writeMixedWorld()
  for (const given of [{}, { colours: true, width: () => Number.POSITIVE_INFINITY }, { width: () => 200 }]) {
    expect(await fromLoop(LS, given)).toMatch(/\n.*my-app-5.*\n.*my-app-2.*\n.*my-app-1/)
    for (const request of ASKED) expect(await fromLoop(request, given)).toBe(await fromFiles(request, given))
    world.alive.set(`${context.paths.hash}-my-app-1`, false)
    rmSync(world.paths.sessionFile('my-app-3'), { force: true })
  }
})

it('the line for a bar counts those who need somebody and those who are ready, and is empty without them', async () => {
  writeMixedWorld()
  const line: RequestedList = { command: 'status', options: { json: false, line: true } }
  expect(await fromLoop(line)).toBe('1 needs you\n')
  // A record that cannot be read needs somebody, too.
  for (const name of [...STATUSES.map((_, n) => String(n + 1)), 'damaged'])
    rmSync(world.paths.sessionFile(`my-app-${name}`))
  expect(await fromLoop(line)).toBe('')
  expect(JSON.parse((await fromLoop({ command: 'status', options: { json: true, line: true } })) ?? '')).toEqual({
    text: '',
    class: 'idle',
    needsYou: 0,
    ready: 0,
  })
})

it('sees what changed right before it was asked', async () => {
  writeMixedWorld()
  expect(await fromLoop(LS)).toMatch(/my-app-1 +working/)
  world.alive.set(`${context.paths.hash}-my-app-1`, false)
  expect(await fromLoop(LS)).toMatch(/my-app-1 +killed/)
})

it('a loop with another configuration or environment prints nothing for the command', async () => {
  writeMixedWorld()
  expect(await fromLoop(LS)).not.toBeNull()
  expect(await fromLoop(LS, { env: { ...world.env, CODEX_HOME: '/elsewhere' } })).toBeNull()
  expect(await fromLoop(LS, { env: { ...world.env, AO_LOG_LEVEL: 'debug' } })).toBeNull()
  lists?.use(placeOf(open({ readyThresholdMs: 1 })))
  expect(await fromLoop(LS)).toBeNull()
})

it('an unknown project, a list without sessions and strange requests are left to the command', async () => {
  expect(await fromLoop(LS)).toBeNull()
  expect(await fromLoop({ command: 'status', options: { json: false } })).toBeNull()
  writeMixedWorld()
  expect(await fromLoop({ command: 'status', options: { json: true, project: 'nobody' } })).toBeNull()
  expect(await fromLoop({ command: 'rm', options: {} } as unknown as RequestedList)).toBeNull()
})

it('a loop that is gone, or does not answer at once, is not waited for', async () => {
  writeMixedWorld()
  await lists?.close()
  lists = null
  expect(await fromLoop(LS)).toBeNull()
  const { socket } = runFiles(context.paths)
  const silent = createServer(() => undefined)
  stranger = silent
  await new Promise<void>((resolve) => silent.listen(socket, resolve))
  // Without a limit it would wait until the whole answer is due, three seconds.
  const began = performance.now()
  const { io } = ioOf()
  expect(await printFromLoop(LS, { config: await openConfig(io), io })).toBe(false)
  expect(performance.now() - began).toBeLessThan(2_000)
})

it('data that meanwhile belongs to another configuration is not listed from memory', async () => {
  writeMixedWorld()
  expect(await fromLoop(LS)).not.toBeNull()
  const [projectId] = Object.keys(world.config.projects)
  writeFileSync(context.paths.project(projectId!).origin, '/elsewhere/agent-orchestrator.yaml\n')
  expect(await fromLoop(LS)).toBeNull()
  await expect(fromFiles(LS)).rejects.toMatchObject({ code: 'ORIGIN_MISMATCH' })
})

it('a socket that somebody else could have put there is not believed', async () => {
  writeMixedWorld()
  const directory = dirname(runFiles(context.paths).socket)
  chmodSync(directory, 0o770)
  expect(await fromLoop(LS)).toBeNull()
  chmodSync(directory, 0o700)
  expect(await fromLoop(LS)).not.toBeNull()
})
