// A session of a newer ao, as a person with an older one meets it: it is listed and shown as such, every command that would change it
// is refused with one sentence, its agent goes on, and an agent that only claims it can still be ended.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG =
  'port: 0\ndefaults: { runtime: process, notifiers: [] }\nprojects: { app: { path: ., agent: demo, tracker: local, scm: local } }\n'

let world: AoWorld
let project: string
const record = (id: string) => join(project, 'sessions', id)
const history = (id: string) => join(project, 'history', `${id}.jsonl`)
const bytes = () => [record('app-2'), history('app-2')].map((file) => readFileSync(file, 'utf8'))
const original = { text: '' }

beforeAll(async () => {
  buildAo()
  world = createAoWorld({ config: CONFIG })
  await world.ao(['config', 'trust', '--yes'])
  for (let n = 0; n < 2; n++) {
    const spawned = await world.ao(['spawn', '--prompt', 'demo: write draft one\ndemo: ask Which?'])
    expect(spawned, spawned.stderr).toMatchObject({ code: 0 })
  }
  const data = join(world.temp.home, '.agent-orchestrator')
  project = join(data, readdirSync(data).find((name) => name.endsWith('-app'))!)
  original.text = readFileSync(record('app-2'), 'utf8')
  writeFileSync(record('app-2'), `version=2\n${original.text}tomorrow=yes\na line of tomorrow\n`)
}, 120_000)
afterAll(async () => {
  writeFileSync(record('app-2'), original.text)
  for (const id of ['app-1', 'app-2']) await world.ao(['session', 'kill', id, '--force'])
  expect(await world.temp.cleanup()).toEqual([])
}, 60_000)

it('is listed with the others, and whatever reads it says what it is', async () => {
  const before = bytes()
  const { sessions } = await world.json<{ sessions: Array<{ id: string; damaged?: string }> }>([
    'session',
    'ls',
    '--all',
  ])
  expect(sessions.map(({ id, damaged }) => [id, damaged?.includes('of version 2, which a newer ao wrote')])).toEqual([
    ['app-1', undefined],
    ['app-2', true],
  ])
  for (const args of [['session', 'ls'], ['status'], ['session', 'show', 'app-2'], ['why', 'app-2']]) {
    const { code, stdout, stderr } = await world.ao(args)
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0)
    expect(stdout, args.join(' ')).toContain('app-2')
  }
  for (const args of [
    ['events', 'app-2'],
    ['session', 'transcript', 'app-2'],
    ['session', 'messages', 'app-2'],
    ['session', 'rules', 'app-2'],
    ['session', 'diff', 'app-2'],
    ['session', 'cleanup'],
    ['session', 'restore', '--all'],
    ['disk'],
    ['cost'],
  ])
    expect(await world.ao(args), args.join(' ')).toMatchObject({ code: 0 })
  const doctor = await world.json<{ checks: Array<{ name: string; level: string; fix?: string }> }>(['doctor'])
  expect(doctor.checks).toContainEqual(
    expect.objectContaining({ name: 'session app-2', level: 'warn', fix: expect.stringContaining('ao upgrade') }),
  )
  expect(bytes()).toEqual(before)
}, 120_000)

it.each([
  [['send', 'app-2', 'The first one', '--no-wait']],
  [['session', 'kill', 'app-2']],
  [['session', 'kill', 'app-2', '--purge']],
  [['session', 'done', 'app-2']],
  [['session', 'rename', 'app-2', 'Mine']],
  [['session', 'snooze', 'app-2', '1h']],
  [['session', 'budget', 'app-2', '5']],
  [['session', 'interrupt', 'app-2']],
  [['session', 'fork', 'app-2']],
  [['session', 'restore', 'app-2']],
])('refuses %j with the sentence, and changes nothing', async (args) => {
  const before = bytes()
  const { code, error } = await world.json<{ error: { code: string; message: string; hint: string } }>(args)
  expect({ code, error }, JSON.stringify(error)).toMatchObject({
    code: 5,
    error: {
      code: 'FORMAT_NEWER',
      message: expect.stringContaining(`${record('app-2')} is of version 2, which a newer program wrote`),
      hint: expect.stringContaining('ao upgrade'),
    },
  })
  expect(bytes()).toEqual(before)
})

it('is left alone by a loop, which goes on with the others', async () => {
  const before = bytes()
  await world.ao(['start', '--json'])
  const isAsked = () => readFileSync(record('app-1'), 'utf8').includes('status=needs_input')
  await waitFor('the question of the other one', isAsked, 60_000)
  expect(bytes()).toEqual(before)
  await world.ao(['stop'])
  expect(await world.ao(['session', 'kill', 'app-1'])).toMatchObject({ code: 0 })
}, 120_000)

it('ends its agent by force, without a word in its record, because the agent itself could have claimed it', async () => {
  const before = bytes()
  const killed = await world.json<{ error: { message: string } }>(['session', 'kill', 'app-2', '--force'])
  expect(killed).toMatchObject({
    code: 5,
    error: { message: expect.stringContaining('The agent of app-2 was stopped') },
  })
  expect(bytes()).toEqual(before)
}, 60_000)
