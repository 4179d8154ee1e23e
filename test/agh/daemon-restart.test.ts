// What waits for a session lives through a daemon that is replaced, and says the truth about one that is not. Each command in
// a process of its own.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { daemonProcess } from '../../src/agh/daemon/daemon-file.ts'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { countedHome } from './counted-home.ts'
import { startOldDaemon } from './old-daemon.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'agh.js')
let agh: AghHome

function open() {
  agh = createAghHome({ files: { 'config.toml': '[http]\nport = 0\n' } })
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
function begin(command: string, args: string[], more: NodeJS.ProcessEnv = {}) {
  const env = { ...agh.context.env, ...more }
  const child = spawn(command, args, { cwd: agh.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (ran.stdout += chunk))
  child.stderr.on('data', (chunk) => (ran.stderr += chunk))
  const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve(Object.assign(ran, { code }))))
  return { ran, ended }
}
const command = (...args: string[]) => begin(process.execPath, [PROGRAM, ...args])
const run = (...args: string[]) => command(...args).ended
async function newSession(): Promise<string> {
  const { stdout, stderr } = await run('session', 'new', '--json')
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { session: SessionView }).session.id
}
const sequences = (text: string) =>
  [...text.matchAll(/^(?:id: |\{"sequence":)(\d+)/gm)].map(([, sequence]) => Number(sequence))
const go = () => join(agh.workspace, 'go')
/** The turn of the test: it says one thing, waits for a file, and says another. */
const TURN = 'say one\nwait-for go\nsay two'

describe('a daemon that is restarted in the middle of a turn', () => {
  it('is not noticed by prompt, events --follow, attach, wait and run: each ends with the turn or the session', async () => {
    open()
    const id = await newSession()
    const prompt = command('session', 'prompt', id, TURN, '-o', 'jsonl')
    await waitFor('the first words', () => prompt.ran.stdout.includes('"one"'))
    const one = command('run', TURN)
    const events = command('session', 'events', id, '--follow', '-o', 'jsonl')
    const attach = command('session', 'attach', id)
    const idle = command('session', 'wait', id, '--until', 'idle', '-o', 'json')
    const wait = command('session', 'wait', id, '-o', 'json')
    await waitFor('all of them', () => [one, events, attach].every(({ ran }) => ran.stdout.includes('one')))
    const { pid } = (await daemonStatus(agh.context.paths))!
    expect(await run('daemon', 'restart')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 sessions active'),
    })
    expect((await daemonStatus(agh.context.paths))!.pid).not.toBe(pid)
    writeFileSync(go(), '')
    expect(await prompt.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"two"') })
    expect(await one.ended).toMatchObject({ code: 0, stdout: 'onetwo\n' })
    expect(await idle.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('"state":"idle"') })
    const before = wait.ran.stdout
    expect([before, wait.ran.code]).toEqual(['', null])
    expect((await run('session', 'stop', id)).code).toBe(0)
    expect(await wait.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('user_canceled') })
    expect(await attach.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('two') })
    const followed = await events.ended
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining('"session_stopped"') })
    for (const text of [prompt.ran.stdout, followed.stdout]) {
      const seen = sequences(text)
      expect(seen).toEqual(seen.map((_, index) => seen[0]! + index))
    }
    // Nothing of `agh run` is left behind.
    expect((await run('session', 'list')).stdout).toBe('')
  }, 120_000)

  it('cuts off a stream over HTTP instead of ending it, and the next one continues it after the last event', async () => {
    open()
    const id = await newSession()
    const { http } = (await daemonStatus(agh.context.paths))!
    const prompt = command('session', 'prompt', id, TURN)
    await waitFor('the first words', () => prompt.ran.stdout.includes('one'))
    const stream = begin('curl', ['-sN', `${http}/api/sessions/${id}/stream`])
    await waitFor('the stream', () => stream.ran.stdout.includes('agent_message'))
    await run('daemon', 'restart')
    const cut = await stream.ended
    expect(cut.code).not.toBe(0)
    expect(cut.stdout).toContain('connect again with Last-Event-ID')
    expect(cut.stdout).not.toContain('session_stopped')
    writeFileSync(go(), '')
    expect((await prompt.ended).code).toBe(0)
    await run('session', 'stop', id)
    const next = (await daemonStatus(agh.context.paths))!.http
    const last = sequences(cut.stdout).at(-1)!
    const rest = await begin('curl', ['-sN', '-H', `Last-Event-ID: ${last}`, `${next}/api/sessions/${id}/stream`]).ended
    const seen = [...sequences(cut.stdout), ...sequences(rest.stdout)]
    expect(seen).toEqual(seen.map((_, index) => index + 1))
    expect(rest.stdout).toContain('session_stopped')
  }, 60_000)

  it('delivers a prompt that was waiting for its turn, once', async () => {
    open()
    const id = await newSession()
    const first = command('session', 'prompt', id, TURN)
    await waitFor('the first words', () => first.ran.stdout.includes('one'))
    const second = command('session', 'prompt', id, 'say three', '--queue')
    await waitFor('its place', async () => (await run('session', 'queue', id)).stdout.includes('say three'))
    await run('daemon', 'restart')
    await waitFor('its place there', async () => (await run('session', 'queue', id)).stdout.includes('say three'))
    writeFileSync(go(), '')
    expect(await second.ended).toMatchObject({ code: 0, stdout: 'three\n' })
    const { stdout } = await run('session', 'history', id)
    expect(stdout.match(/^three$/gm)).toHaveLength(1)
  }, 60_000)

  it('keeps running when its configuration is broken: that is said first', async () => {
    open()
    await newSession()
    const { pid } = (await daemonStatus(agh.context.paths))!
    writeFileSync(agh.context.paths.config, '[http]\nport = "many"\n')
    expect(await run('daemon', 'restart')).toMatchObject({ code: 2, stderr: expect.stringContaining('http.port') })
    expect((await daemonStatus(agh.context.paths))!.pid).toBe(pid)
    expect(existsSync(agh.context.paths.restartFile)).toBe(false)
  })
})

describe('a daemon that is stopped with --keep-agents', () => {
  it('leaves waiting commands with the truth: the agents are at work, and how to continue', async () => {
    open()
    const id = await newSession()
    const prompt = command('session', 'prompt', id, TURN)
    await waitFor('the first words', () => prompt.ran.stdout.includes('one'))
    const ways = [await countedHome(agh, 'one'), await countedHome(agh, 'two')] as const
    const wait = (home: string, ...args: string[]) =>
      begin(process.execPath, [PROGRAM, 'session', 'wait', id, '-o', 'json', ...args], { AGH_HOME: home })
    const readers = [command('session', 'events', id, '--follow'), command('session', 'attach', id)]
    const waiting = [prompt, ...readers, wait(ways[0].home), wait(ways[1].home, '--until', 'idle')]
    await waitFor('the readers', () => readers.every(({ ran }) => ran.stdout.includes('one')))
    await waitFor('an answer for each', () => ways.every(({ answered }) => answered() > 0))
    expect(await run('daemon', 'stop', '--keep-agents')).toMatchObject({ code: 0, stdout: 'stopped\n' })
    for (const { ended } of waiting) {
      const { code, stdout, stderr } = await ended
      expect(code, stderr).toBe(1)
      // With -o json an error is JSON on stdout.
      expect(stdout + stderr).toMatch(/they are still at work[\s\S]*agh daemon start/)
      expect(stdout).not.toContain('"state"')
    }
    for (const { close } of ways) close()
    expect(daemonProcess(agh.context.paths)).toBe('left')
    expect(await daemonStatus(agh.context.paths)).toBeNull()
    writeFileSync(go(), '')
    expect((await run('session', 'wait', id, '--until', 'idle')).code).toBe(0)
    expect((await run('session', 'history', id)).stdout).toContain('two')
  }, 60_000)
})

describe('a daemon of an older release', () => {
  it('is not sent the signal that would kill it, and every command says that it is older and what to do', async () => {
    open()
    const old = await startOldDaemon(agh.context.paths)
    try {
      for (const args of [
        ['daemon', 'restart'],
        ['daemon', 'stop', '--keep-agents'],
      ]) {
        const { code, stderr } = await run(...args)
        expect(code).toBe(1)
        expect(stderr).toMatch(/older than this command and cannot leave its agents[\s\S]*agh daemon stop/)
        expect(old.isRunning()).toBe(true)
      }
      expect((await run('doctor')).stdout).toMatch(/older than this command[\s\S]*agh daemon restart/)
      const listed = await run('session', 'list')
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('sess-old') })
      const health = await run('observe', 'health')
      expect(health).toMatchObject({ code: 0, stdout: expect.stringContaining('sess-old') })
      const last = await run('session', 'events', 'sess-old', '--last', '2', '-o', 'jsonl')
      expect(sequences(last.stdout)).toEqual([3, 4])
      for (const { stderr } of [listed, health, last]) {
        expect(stderr.match(/The agh daemon is older than this command/g)).toHaveLength(1)
        expect(stderr).toContain('agh daemon restart')
      }
      expect(JSON.parse(readFileSync(agh.context.paths.daemonFile, 'utf8'))).not.toHaveProperty('protocol')
    } finally {
      await old.end()
    }
  }, 60_000)
})
