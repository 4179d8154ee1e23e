// What the agent of a session can do with agh: a real daemon, and the commands run by an agent as its tools would run them.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { COMMANDS } from '../../src/cli/agh/commands.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { PERSON } from '../../src/core/boundary/rights.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'agh.js')
const COMMAND = `'${process.execPath}' '${PROGRAM}'`
let agh: AghHome
let own: SessionView
let child: SessionView
let sibling: SessionView

beforeAll(() => {
  agh = createAghHome({ files: { 'config.toml': '[http]\nport = 0\n' } })
  own = make('--permissions', 'approve-reads')
  sibling = make()
  child = JSON.parse(asAgent(`${COMMAND} spawn --ttl 10m --json`)).session
})
afterAll(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

const person = (...args: string[]) =>
  execFileSync(process.execPath, [PROGRAM, ...args], { cwd: agh.workspace, env: agh.context.env, encoding: 'utf8' })
const make = (...args: string[]) => JSON.parse(person('session', 'new', '--json', ...args)).session as SessionView
const events = (id: string) => JSON.parse(person('session', 'events', id, '--json')).events as SessionEvent[]
const address = () => JSON.parse(person('daemon', 'status', '--json')).http as string
const states = () =>
  (JSON.parse(person('session', 'list', '--all', '--json')) as SessionView[]).map(({ id, state }) => [id, state])

/** What the script prints, run by the agent of `own`. */
function asAgent(script: string): string {
  const file = join(agh.home, 'script.sh')
  const output = join(agh.home, 'script.out')
  writeFileSync(file, `{ ${script}\n} >'${output}' 2>&1\n`)
  person('session', 'prompt', own.id, `sh sh '${file}'`)
  return readFileSync(output, 'utf8')
}

/** How a request of the agent's may look. */
const WAYS = {
  'as it is': '',
  'without its variables': 'env -u AGH_SESSION_TOKEN -u AGH_SESSION_ID -u AGH_AGENT',
  'with nothing of its environment': `env -i HOME="$HOME" PATH="$PATH" AGH_HOME="$AGH_HOME"`,
  'in a process session of its own': 'setsid -w',
  'with a secret that it made up': 'env AGH_SESSION_TOKEN=made-up',
}
const ENDED = 'f'.repeat(64)
const REFUSED = /error: agh .* is not for |error: Refused: /

/** Each line on its own; true: refused. */
function refusals(lines: readonly string[], way = ''): boolean[] {
  const script = lines.map((line) => `${way} ${COMMAND} ${line} </dev/null; echo; echo '----'`).join('\n')
  return asAgent(script)
    .split('----\n')
    .slice(0, lines.length)
    .map((text) => REFUSED.test(text))
}

const ARGUMENTS: Readonly<Record<string, string>> = {
  'session prompt': '"say hello"',
  'session wait': '--until idle --timeout 5s',
  'session set': '--mode x',
  'agent info': 'general',
  'task create': 'x',
  'task info': 'task-none',
  'task run': 'task-none',
  'task remove': 'task-none',
  'workspace add': '. --name x',
  'workspace info': 'x',
  'workspace remove': 'x',
  run: '"say x"',
  completion: 'bash',
  // Longer than the test takes on a crowded machine.
  spawn: '--ttl 10m',
}
const RIGHTS = new Map(
  await Promise.all(COMMANDS.map(async (entry) => [entry.name, (await entry.load()).inside ?? PERSON] as const)),
)
const NAMES = [...RIGHTS.keys()]
const takesSession = (name: string) => /^session (?!new|list)/.test(name)
const line = (name: string, id: string) => [name, takesSession(name) ? id : '', ARGUMENTS[name] ?? ''].join(' ')

describe('N11 N6 every command of agh, run by the agent of a session', () => {
  it.each(['own', 'child', 'sibling'] as const)('with %s: as the table says', (which) => {
    const target = { own, child, sibling }[which]
    const names = which === 'sibling' ? NAMES : NAMES.filter(takesSession)
    const before = states()
    const got = refusals(names.map((name) => line(name, target.id)))
    const expected = names.map((name) => {
      const right = RIGHTS.get(name)!.agent
      if (right === 'no') return true
      if (right === 'yes' || !takesSession(name)) return false
      return which === 'sibling' || (which === 'own' && right === 'children')
    })
    expect(Object.fromEntries(names.map((name, index) => [name, got[index]]))).toEqual(
      Object.fromEntries(names.map((name, index) => [name, expected[index]])),
    )
    // Nothing that was refused has happened.
    if (which !== 'child') expect(states().slice(0, before.length)).toEqual(before)
    expect(events(sibling.id).filter(({ type }) => type === 'user_message')).toEqual([])
  })

  it.each(Object.entries(WAYS))('N6 a sibling is out of reach, %s', (_way, prefix) => {
    const lines = ['prompt', 'stop', 'cancel', 'resume', 'approve', 'set'].map((name) =>
      line(`session ${name}`, sibling.id),
    )
    lines.push('session new --permissions approve-all', 'run "say x"', 'daemon stop')
    const before = states()
    expect(refusals(lines, prefix)).toEqual(lines.map(() => true))
    expect(states()).toEqual(before)
  })

  it('the secret of a session that has ended, or one of nobody, makes no person', () => {
    for (const token of ['made-up', ENDED]) {
      const env = { ...agh.context.env, AGH_SESSION_TOKEN: token, AGH_SESSION_ID: 'sess-ended' }
      const before = states()
      for (const args of [
        `session prompt ${sibling.id} x`,
        `session stop ${sibling.id}`,
        `session set ${sibling.id} --mode x`,
      ]) {
        const { stderr, status } = spawnSync(process.execPath, [PROGRAM, ...args.split(' ')], { env, encoding: 'utf8' })
        expect(stderr).toMatch(REFUSED)
        expect(status).not.toBe(0)
      }
      const post = `curl -s -o /dev/null -w '%{http_code}' ${address()}/api/sessions/${sibling.id}/stop -X POST -H 'content-type: application/json' -d '{}'`
      expect(spawnSync('sh', ['-c', post], { env, encoding: 'utf8' }).stdout).toBe('403')
      expect(states()).toEqual(before)
    }
  })

  it('shows an agent its own family only', () => {
    const seen = (JSON.parse(asAgent(`${COMMAND} session list --all --json`)) as SessionView[]).map(({ id }) => id)
    expect(seen).toContain(own.id)
    expect(seen).toContain(child.id)
    expect(seen).not.toContain(sibling.id)
  })
})

describe('the daemon itself, without the command', () => {
  const ROUTES: ReadonlyArray<readonly [string, string, () => string, string]> = [
    ['stop a sibling', 'POST', () => `/api/sessions/${sibling.id}/stop`, '{}'],
    ['end a sibling', 'DELETE', () => `/api/sessions/${sibling.id}`, ''],
    ['prompt a sibling', 'POST', () => `/api/sessions/${sibling.id}/prompt`, '{"message":"say x"}'],
    ['prompt itself', 'POST', () => `/api/sessions/${own.id}/prompt`, '{"message":"say x","queue":true}'],
    ['start a session', 'POST', () => '/api/sessions', '{"permissions":"approve-all"}'],
    ['change a sibling', 'PATCH', () => `/api/sessions/${sibling.id}`, '{"mode":"x"}'],
    ['answer a question', 'POST', () => `/api/sessions/${own.id}/approve`, '{"decision":"allow-once"}'],
    ['register a workspace', 'POST', () => '/api/workspaces', '{"path":"/"}'],
    ['create a task', 'POST', () => '/api/tasks', '{"title":"x"}'],
  ]
  const curl = (where: string, method: string, path: string, body: string) =>
    `curl -s -o /dev/null -w '%{http_code} ' ${where}${path} -X ${method}` +
    (body ? ` -H 'content-type: application/json' -d '${body}'` : '')

  it.each(Object.entries(WAYS))('N11 refuses changes over the socket and over TCP, %s', (_way, prefix) => {
    const http = address()
    const before = states()
    for (const where of [`--unix-socket '${agh.context.paths.socket}' http://localhost`, http]) {
      const codes = asAgent(
        ROUTES.map(([, method, path, body]) => `${prefix} ${curl(where, method, path(), body)}`).join('\n'),
      )
      expect(codes.trim().split(' '), where).toEqual(ROUTES.map(() => '403'))
    }
    expect(states()).toEqual(before)
  })

  it('does not take the secret of another session from an agent', async () => {
    const meta = JSON.parse(person('session', 'inspect', sibling.id, '--json')).session
    const pid = String(meta.process.identity).split(':')[0]
    const steal = `tr '\\0' '\\n' </proc/${pid}/environ | sed -n 's/^AGH_SESSION_TOKEN=//p'`
    const { session } = JSON.parse(asAgent(`AGH_SESSION_TOKEN=$(${steal}) ${COMMAND} spawn --ttl 1m --json`))
    expect(session.lineage.parent_session_id).toBe(own.id)
    const request = curl(address(), 'POST', '/api/agent/spawn', '{"ttl_seconds":60}')
    expect(asAgent(`${request} -H "x-agh-session-token: $(${steal})"`).trim()).toBe('403')
  })

  it('still serves a person with curl', () => {
    const http = address()
    const { stdout } = spawnSync('sh', ['-c', curl(http, 'POST', `/api/sessions/${sibling.id}/stop`, '{}')], {
      env: agh.context.env,
      encoding: 'utf8',
    })
    expect(stdout.trim()).toBe('200')
  })
})

it('N11 an agent cannot answer its own question; the person who did is the one named', async () => {
  const output = join(agh.home, 'approve.out')
  const ways = Object.values(WAYS).map((way) => `${way} ${COMMAND} session approve ${own.id} --json`)
  const ask = join(agh.home, 'approve.sh')
  writeFileSync(ask, `(sleep 1; ${ways.join('; ')}; echo end) >'${output}' 2>&1 &\n`)
  const args = [PROGRAM, 'session', 'prompt', own.id, `sh sh '${ask}'\nask execute`]
  const asking = spawn(process.execPath, args, {
    cwd: agh.workspace,
    env: agh.context.env,
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => asking.once('close', resolve))
  await waitFor('its attempts', () => existsSync(output) && readFileSync(output, 'utf8').includes('end'), 60_000)
  expect(readFileSync(output, 'utf8').match(/"ROLE_REFUSED"/g)).toHaveLength(ways.length)
  const answers = () => events(own.id).flatMap((event) => (event.type === 'permission' ? [event.content] : []))
  expect(answers().map((one) => (one as { decision: unknown }).decision)).toEqual([null])
  person('session', 'approve', own.id)
  await ended
  expect(answers().at(-1)).toMatchObject({ decision: 'allow-once', decided_by: 'user' })
})
