// The commands as people type them, each in a process of its own.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome } from './agh-home.ts'
import { countedHome } from './counted-home.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'agh.js')
let agh: AghHome

function open(options: AghHomeOptions = {}) {
  agh = createAghHome({ files: { 'config.toml': '[http]\nport = 0\n', ...options.files }, ...options })
}
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}
function begin(args: string[], input?: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: agh.workspace,
    env: { ...agh.context.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (ran.stdout += chunk))
  child.stderr.on('data', (chunk) => (ran.stderr += chunk))
  child.stdin.end(input)
  const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve(Object.assign(ran, { code }))))
  return { child, ran, ended }
}
const run = (...args: string[]) => begin(args).ended
async function newSession(...args: string[]): Promise<SessionView> {
  const { stdout, stderr } = await run('session', 'new', '--json', ...args)
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { session: SessionView }).session
}
async function killDaemon(): Promise<void> {
  process.kill((await daemonStatus(agh.context.paths))!.pid, 'SIGKILL')
  await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
}

describe('a session', () => {
  it('is found by its name, by the beginning of its id, and never by a guess', async () => {
    open()
    const { id } = await newSession('--name', 'review')
    for (const reference of ['review', id, id.slice(0, 9), id.slice(5, 10)]) {
      expect((await run('session', 'status', reference)).stdout, reference).toContain(id)
    }
    await newSession('--name', 'review')
    const several = await run('session', 'stop', 'review')
    expect([several.code, several.stderr]).toEqual([2, expect.stringContaining('review means 2 sessions')])
    const none = await run('session', 'status', '..')
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('There is no session ..')])
  })

  it('takes a prompt from stdin, of any length', async () => {
    open()
    const { id } = await newSession()
    const long = `say ${'word '.repeat(60_000)}end`
    const { code, stdout } = await begin(['session', 'prompt', id, '-'], long).ended
    expect([code, stdout.length > 300_000, stdout.trimEnd().endsWith('end')]).toEqual([0, true, true])
    expect(await begin(['session', 'prompt', id, '-'], ' \n').ended).toMatchObject({ code: 2 })
  })

  it('runs one prompt from start to end: agh run', async () => {
    open()
    const once = await run('run', 'say done')
    expect(once).toMatchObject({ code: 0, stdout: 'done\n' })
    const id = /Session (\S+)/.exec(once.stderr)![1]!
    expect((await run('session', 'status', id)).stdout).toContain('stopped')
    expect((await run('session', 'history', id)).stdout).toContain('done')
    const kept = await begin(['run', '--keep', '--name', 'second', '-'], 'say again').ended
    expect(kept).toMatchObject({ code: 0, stdout: 'again\n' })
    expect((await run('session', 'status', 'second')).stdout).not.toContain('stopped')
    expect(await run('run', '--agent', 'nobody', 'hello')).toMatchObject({ code: 4, stdout: '' })
    expect(await begin(['run', '-'], ' \n').ended).toMatchObject({ code: 2 })
  })

  it('leaves no session behind when the prompt of agh run is refused', async () => {
    open()
    const tooLong = await begin(['run', '-'], `say ${'x'.repeat(9 * 1024 * 1024)}`).ended
    expect(tooLong.code).not.toBe(0)
    const id = /Session (\S+)/.exec(tooLong.stderr)![1]!
    expect((await run('session', 'status', id)).stdout).toContain('stopped')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('names what agh run leaves behind on %s', async (signal) => {
    open()
    const turn = begin(['run', 'say one\nsleep 60000'])
    await waitFor('its first words', () => turn.ran.stdout.includes('one'))
    turn.child.kill(signal)
    const { stderr } = await turn.ended
    const id = /Session (\S+)/.exec(stderr)![1]!
    expect(stderr).toContain(`The turn continues. Follow it with: agh session attach ${id}`)
    expect(stderr).toContain(`Stop the session with: agh session stop ${id}`)
    expect((await run('session', 'status', id)).stdout).toContain('prompting')
  })

  it('says that a session may have been started when agh run is interrupted before', async () => {
    open({ agent: 'init-hang' })
    const starting = begin(['run', 'say never'])
    await waitFor('the start', async () => (await run('session', 'list')).stdout.includes('starting'))
    starting.child.kill('SIGINT')
    expect(await starting.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('agh session list') })
  })

  it('shows how a turn ended, what was planned and which tool gave a result', async () => {
    open()
    const { id } = await newSession()
    const ended = await run('session', 'prompt', id, 'plan\ntool t1\nsay done')
    expect(ended).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(ended.stderr).not.toMatch(/\[tool_result\] t1|\[plan\] plan/)
    expect(ended.stderr).toMatch(/\[plan\] \[[ x>]\] \w+/)
    const turn = begin(['session', 'prompt', id, 'say one\nsleep 60000'])
    await waitFor('its first words', () => turn.ran.stdout.includes('one'))
    await run('session', 'cancel', id)
    expect(await turn.ended).toMatchObject({ code: 5, stderr: expect.stringContaining('The turn was cancelled.') })
  })

  it('leaves the turn running on Ctrl-C, and says how to follow and end it', async () => {
    open()
    const { id } = await newSession()
    const turn = begin(['session', 'prompt', id, 'say one\nsleep 60000'])
    await waitFor('its first words', () => turn.ran.stdout.includes('one'))
    turn.child.kill('SIGINT')
    const { stderr } = await turn.ended
    expect(stderr).toContain(`The turn continues. Follow it with: agh session attach ${id}`)
    expect((await run('session', 'status', id)).stdout).toContain('prompting')
  })

  it('asks in words only for what a person must answer', async () => {
    open()
    const { id } = await newSession()
    const read = await run('session', 'prompt', id, 'ask read')
    expect(read.stderr).not.toContain('answer with')
    const turn = begin(['session', 'prompt', id, 'ask edit'])
    await waitFor('the question', () => turn.ran.stderr.includes('answer with: agh session approve'))
    expect((await run('session', 'list')).stdout).toContain('asks: ')
    await run('session', 'approve', id)
    expect(await turn.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('allow-once') })
  })

  it('that is running cannot be repaired, and the exit code says so', async () => {
    open()
    const { id } = await newSession()
    expect(await run('session', 'repair', id)).toMatchObject({ code: 5 })
    await run('session', 'stop', id)
    expect(await run('session', 'repair', id)).toMatchObject({ code: 0 })
  })
})

describe('the environment of the command', () => {
  it('reaches the agent where it is allowed, at the start and at a resume, and is on no disk', async () => {
    open({ front: ['env: [MY_OWN_*]'] })
    await newSession()
    const env = { FOO_API_KEY: 'key-of-this-terminal', MY_OWN_NAME: 'mine', OTHER: 'no', VIRTUAL_ENV: '/venv' }
    const { stdout } = await begin(['session', 'new', '--json'], undefined, env).ended
    const { id } = (JSON.parse(stdout) as { session: SessionView }).session
    const shown = async () =>
      (await run('session', 'prompt', id, 'env FOO_API_KEY MY_OWN_NAME OTHER VIRTUAL_ENV')).stdout
    expect(await shown()).toBe('key-of-this-terminal mine - /venv\n')
    await run('session', 'stop', id)
    await begin(['session', 'resume', id], undefined, { FOO_API_KEY: 'another-key' }).ended
    expect(await shown()).toBe('another-key - - -\n')
    const found = spawnSync('grep', [
      '-rl',
      'another-key\\|key-of-this',
      '--include=meta.json',
      '--include=*.log',
      agh.home,
    ])
    expect(found.stdout.toString()).toBe('')
  })
})

describe('when the daemon dies', () => {
  it('prompt, events and wait find the next one and see the rest, each event once', async () => {
    open()
    const { id } = await newSession()
    const turn = begin(['session', 'prompt', id, '--output', 'jsonl', 'say one\nsleep 1500\nsay two'])
    const events = begin(['session', 'events', id, '--follow', '-o', 'jsonl'])
    const wait = begin(['session', 'wait', id])
    const sequences = ({ stdout }: Ran) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).sequence as number)
    await waitFor('both to see the words', () =>
      [turn, events].every(({ ran }) => ran.stdout.includes('agent_message')),
    )
    await killDaemon()
    const ofTurn = await turn.ended
    await run('session', 'stop', id)
    const [ofEvents, ofWait] = await Promise.all([events.ended, wait.ended])
    expect(ofEvents).toMatchObject({ code: 0, stderr: expect.stringContaining('connecting again') })
    expect(ofEvents.stdout).toContain('"session_stopped"')
    expect(sequences(ofEvents)).toEqual(sequences(ofEvents).map((_, index) => index + 1))
    expect(ofTurn).toMatchObject({ code: 0, stderr: expect.stringContaining('connecting again') })
    expect(JSON.parse(ofTurn.stdout.trim().split('\n').at(-1)!).type).toBe('done')
    expect(sequences(ofTurn)).toEqual(sequences(ofTurn).map((_, index) => sequences(ofTurn)[0]! + index))
    expect(ofWait).toMatchObject({ code: 0, stdout: expect.stringContaining('user_canceled') })
    for (const { stderr } of [ofTurn, ofEvents, ofWait]) expect(stderr).not.toMatch(/inside ao|AO_LOG_LEVEL|aborted/)
  }, 60_000)
})

describe('when a person stops the daemon', () => {
  it('followers see the end, and nothing starts it again', async () => {
    open()
    const { id } = await newSession()
    const turn = begin(['session', 'prompt', id, 'say one\nsleep 60000'])
    const events = begin(['session', 'events', id, '--follow', '-o', 'jsonl'])
    await waitFor('both to see the words', () => turn.ran.stdout.includes('one') && events.ran.stdout !== '')
    const ways = [await countedHome(agh, 'one'), await countedHome(agh, 'two')] as const
    const wait = begin(['session', 'wait', id], undefined, { AGH_HOME: ways[0].home })
    const idle = begin(['session', 'wait', id, '--until', 'idle'], undefined, { AGH_HOME: ways[1].home })
    await waitFor('an answer for each', () => ways.every(({ answered }) => answered() > 0))
    expect((await run('daemon', 'stop')).stdout).toContain('stopped')
    const ended = await Promise.all([turn.ended, events.ended, wait.ended, idle.ended])
    expect(ended[1]).toMatchObject({ code: 0, stdout: expect.stringContaining('"session_stopped"') })
    expect(ended[2].code).toBe(0)
    expect(ended[3].code).toBe(1)
    for (const { stderr } of ended) expect(stderr).not.toMatch(/inside ao|AO_LOG_LEVEL|aborted/)
    expect(await daemonStatus(agh.context.paths)).toBeNull()
    for (const { home, close } of ways) {
      close()
      expect(existsSync(join(home, 'logs'))).toBe(false)
    }
  }, 60_000)
})

describe('the words of agh', () => {
  it('are its own: no error sends people to ao', async () => {
    open({ files: { 'config.toml': '[http]\nport = "many"\n' } })
    const wrong = [
      await run('session', 'list'),
      await run('session', 'new', '--permissions', 'everything'),
      await run('nonsense'),
      await run('session', 'lsit'),
      await run('session', 'status'),
    ]
    for (const { code, stderr } of wrong) {
      expect(code, stderr).toBe(2)
      expect(stderr.match(/error:/g)).toHaveLength(1)
      expect(stderr).not.toMatch(/\bao\b|AO_/)
    }
  })
})

describe('agh doctor', () => {
  it('passes in a new home, and names what is broken with what to do', async () => {
    open()
    expect(await run('doctor')).toMatchObject({ code: 0, stdout: expect.stringContaining('0 problems') })
    expect(await daemonStatus(agh.context.paths)).toBeNull()
    const { id } = await newSession()
    await run('daemon', 'stop')
    writeFileSync(join(agh.context.paths.sessions, id, 'meta.json'), '{')
    writeFileSync(agh.context.paths.config, '[http]\nport = "many"\n')
    writeFileSync(join(agh.context.paths.agents, 'general', 'HEARTBEAT.md'), 'no front matter')
    const { code, stdout } = await run('doctor', '--json')
    const { checks } = JSON.parse(stdout) as { checks: Array<{ level: string; name: string; fix?: string }> }
    const failed = checks.filter(({ level }) => level === 'fail')
    expect([code, failed.map(({ name }) => name)]).toEqual([
      1,
      ['configuration', 'heartbeat of general', `session ${id}`],
    ])
    for (const { name, fix } of failed) expect(fix, name).toBeTruthy()
  })
})

describe('agh completion', () => {
  it.each(['bash', 'zsh', 'fish'])('has a script for %s that asks agh', async (shell) => {
    open()
    const { code, stdout } = await run('completion', shell)
    expect(code).toBe(0)
    expect(stdout).toContain('agh __complete --')
    expect(stdout).not.toMatch(/\bao\b|_ao\b/)
    if (shell !== 'bash') return
    expect(spawnSync('bash', ['-n'], { input: stdout }).status).toBe(0)
  })

  it('offers commands, options, agents and sessions, and starts no daemon', async () => {
    open()
    const offered = async (...argv: string[]) => (await run('__complete', '--', ...argv)).stdout
    expect(await offered('sess')).toContain('session\t')
    expect(await offered('session', 'at')).toContain('attach\t')
    expect(await offered('session', 'new', '--per')).toContain('--permissions')
    expect(await offered('session', 'new', '--agent', '')).toContain('general')
    expect(await offered('session', 'status', '')).toBe('')
    expect(await daemonStatus(agh.context.paths)).toBeNull()
    const { id } = await newSession('--name', 'review')
    expect(await offered('session', 'status', '')).toContain(`${id}\treview`)
  })
})

describe('a HEARTBEAT.md', () => {
  it('that is wrong is shown with the agent', async () => {
    open({ files: { 'config.toml': '[http]\nport = 0\n', 'agents/general/HEARTBEAT.md': 'no front matter' } })
    expect((await run('agent', 'info', 'general')).stdout).toContain('it must begin with front matter')
  })

  it('that would wake a session says so without doing it', async () => {
    const config =
      '[http]\nport = 0\n[agents.heartbeat]\nmin_interval = "1ms"\ndefault_interval = "1ms"\nwake_cooldown = "0s"\n'
    open({
      files: {
        'config.toml': config,
        'agents/general/HEARTBEAT.md': '---\nenabled: true\npreferences: { min_interval: 10h }\n---\nsay awake\n',
      },
    })
    const { id } = await newSession()
    const dry = await run('session', 'wake', id, '--dry-run')
    expect(dry).toMatchObject({ code: 0, stdout: 'would be woken\n' })
    expect((await run('session', 'events', id)).stdout).not.toContain('awake')
  })
})
