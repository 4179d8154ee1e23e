// The program that keeps the lines of all sessions in places, with many of them, hostile ones among them.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askSocket } from '../../src/http/ask-socket.ts'
import { formatIdentity, identify } from '../../src/lib/process/process-identity.ts'
import {
  type LineSpec,
  lineLock,
  linesPaths,
  readLineState,
  writeLineSpec,
  writeLineState,
} from '../../src/plugins/place/home/line-files.ts'
import { lineRuns, startLine, stopLine } from '../../src/plugins/place/home/start-line.ts'
import { firstState } from '../../src/plugins/place/work/bring-home.ts'
import { createMachineHere } from '../support/machine-here.ts'
import { buildAo } from '../support/run-ao.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'

const PLACE = join(import.meta.dirname, '..', 'fixtures', 'place-on-stdio.mjs')
const QUIET = 20
const HOSTILE = ['flood', 'asks', 'endless', 'garbage']

interface Placed {
  stateDir: string
  spawnId: string
  spec: LineSpec
}

let temp: TempHome
let quiet: Placed[]
let hostile: Placed[]

beforeAll(async () => {
  buildAo()
  temp = createTempHome()
  const { root } = createMachineHere(temp)
  // As the engine finds it there.
  mkdirSync(join(root, '.ao-place', 's', 'x'), { recursive: true })
  writeFileSync(join(root, '.ao-place', 's', 'x', 'place.json'), '{}')
  quiet = Array.from({ length: QUIET }, (_, index) => place(`quiet-${index}`, 'quiet'))
  hostile = HOSTILE.map((behaviour) => place(behaviour, behaviour))
})
afterAll(async () => {
  for (const { stateDir, spawnId } of [...quiet, ...hostile]) await stopLine(temp, { stateDir, spawnId })
  expect(await temp.cleanup()).toEqual([])
})

/** A session there, as far as its line knows. */
function place(spawnId: string, behaviour: string): Placed {
  const stateDir = join(temp.home, 'state', spawnId)
  mkdirSync(stateDir, { recursive: true })
  mkdirSync(linesPaths(temp.home).directory, { recursive: true, mode: 0o700 })
  const socket = join(linesPaths(temp.home).directory, `${spawnId}.sock`)
  const there = { engine: 'ssh', options: { host: 'box' }, configDir: temp.home, ref: 'x', directory: '/none' }
  const host = [process.execPath, PLACE, behaviour]
  const spec = { name: spawnId, spawnId, sessionId: spawnId, ...there, host, socket, home: null }
  writeLineSpec(stateDir, spec)
  return { stateDir, spawnId, spec }
}

const stateOf = ({ stateDir, spawnId }: Placed) => readLineState(stateDir, spawnId)
const isConnected = (one: Placed) => lineRuns(one, stateOf(one)) && stateOf(one)?.connected === true

function programs(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return commandLine.includes('place-lines') && commandLine.includes(temp.home)
      } catch {
        // It ended meanwhile.
        return false
      }
    })
}

async function onlyProgram(): Promise<number> {
  return waitFor('a single program', () => (programs().length === 1 ? programs()[0] : null))
}

/** Through the line's socket at home, to the place and back. */
function echo({ spec }: Placed): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(spec.socket)
    socket.on('error', reject)
    socket.once('data', (chunk) => {
      socket.destroy()
      resolve(String(chunk))
    })
    socket.write('are you there?')
  })
}

/** Seconds that it has computed. */
function computed(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

it('keeps the lines of many sessions in one process, whatever some of the places send', async () => {
  await Promise.all([...hostile, ...quiet].map((one) => startLine(temp, one)))
  await waitFor('every quiet place', () => quiet.every(isConnected), 50_000)
  const since = quiet.map((one) => stateOf(one)?.since)
  const pid = await onlyProgram()
  const before = { at: performance.now(), seconds: computed(pid) }
  await waitFor('some seconds of the flood', () => performance.now() - before.at > 3_000)
  const share = (computed(pid) - before.seconds) / ((performance.now() - before.at) / 1000)
  expect(share).toBeLessThan(0.7)
  expect(await Promise.all(quiet.map(echo))).toEqual(Array(QUIET).fill('are you there?'))
  expect(quiet.map((one) => stateOf(one)?.since)).toEqual(since)
  expect(quiet.every(isConnected)).toBe(true)
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  expect(megabytes).toBeLessThan(400)
  for (const one of hostile) await stopLine(temp, one)
})

it('continues with all of them when it was killed and one of them is needed', async () => {
  const pid = await onlyProgram()
  process.kill(pid, 'SIGKILL')
  await waitFor('its end', () => !quiet.some(isConnected))
  await startLine(temp, quiet[0]!)
  await waitFor('every line', () => quiet.every(isConnected), 50_000)
  expect(await onlyProgram()).not.toBe(pid)
})

function put(spawnId: string, body: object, socket = linesPaths(temp.home).socket) {
  return askSocket(socket, {
    method: 'PUT',
    path: `/lines/${spawnId}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: undefined,
  })
}

it('hands its lines over to the program of a newer version', async () => {
  const pid = await onlyProgram()
  const body = { stateDir: quiet[0]!.stateDir, environment: {}, version: '999.0.0' }
  expect(JSON.parse((await put('quiet-0', body)).text)).toEqual({ state: 'leaving' })
  await waitFor('its end', () => programs().length === 0)
  expect(readdirSync(linesPaths(temp.home).links)).toHaveLength(QUIET)
  await startLine(temp, quiet[1]!)
  await waitFor('every line', () => quiet.every(isConnected), 50_000)
  expect(await onlyProgram()).not.toBe(pid)
  // An older command is served as well.
  expect(JSON.parse((await put('quiet-0', { ...body, version: '0.0.1' })).text)).toEqual({ state: 'kept' })
})

const SEND = `const [socketPath, ...requests] = process.argv.slice(1)
const send = (request) => new Promise((resolve) => {
  const { body, ...how } = JSON.parse(request)
  const asked = require('node:http').request({ ...how, socketPath, headers: { 'content-type': 'application/json' } })
  asked.on('response', (answer) => resolve(answer.statusCode))
  asked.on('error', (error) => resolve(error.code))
  asked.end(JSON.stringify(body))
})
Promise.all(requests.map(send)).then((all) => console.log(JSON.stringify(all)))`

/** From a process with these variables. */
async function sendAs(env: NodeJS.ProcessEnv, requests: object[], uid?: number): Promise<unknown> {
  const args = ['-e', SEND, linesPaths(temp.home).socket, ...requests.map((one) => JSON.stringify(one))]
  const child = spawn(process.execPath, args, {
    env: { ...temp.env, ...env },
    uid,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await text(child.stdout))
}

it('changes nothing for the agent of a session, for another user, or for a name that is a path', async () => {
  const other = place('other', 'quiet')
  const body = { stateDir: other.stateDir, environment: { PATH: '/evil' }, version: null }
  const keep = (name: string) => ({ method: 'PUT', path: `/lines/${name}`, body })
  const drop = { method: 'DELETE', path: '/lines/quiet-0' }
  const worker = { AO_SESSION: 'app-1', AO_CALLER_TYPE: 'worker', AO_PROJECT_ID: 'app' }
  const isRoot = process.getuid?.() === 0
  const answers = await Promise.all([
    sendAs(worker, [keep('other'), drop]),
    sendAs({ AGH_SESSION_TOKEN: 'x', AGH_SESSION_ID: 's' }, [drop]),
    sendAs({}, [keep('..%2F..%2Fother'), keep('quiet-0')]),
    isRoot ? sendAs({}, [keep('other')], 65_534) : ['EACCES'],
    startLine({ home: temp.home, env: { ...temp.env, ...worker } }, other),
  ])
  expect(answers).toEqual([[403, 403], [403], [400, 400], ['EACCES'], undefined])
  expect(readdirSync(linesPaths(temp.home).links)).toHaveLength(QUIET)
  expect(quiet.every(isConnected)).toBe(true)
  expect(stateOf(other)).toBeNull()
  expect(await sendAs({ ...worker, AO_CALLER_TYPE: 'orchestrator' }, [keep('other')])).toEqual([200])
  await stopLine(temp, other)
  expect(existsSync(lineLock(other.stateDir, 'other'))).toBe(false)
})

it('leaves a line that the version before keeps in a process of its own, and ends it on request', async () => {
  const older = place('older', 'quiet')
  const child = spawn('sleep', ['600'], { env: temp.env, stdio: 'ignore' })
  const line = formatIdentity(identify(child.pid!)!)
  symlinkSync(line, lineLock(older.stateDir, 'older'))
  writeLineState(older.stateDir, 'older', { ...firstState(line), connected: true })
  expect(isConnected(older)).toBe(true)
  await startLine(temp, older)
  expect(stateOf(older)?.line).toBe(line)
  expect(existsSync(older.spec.socket)).toBe(false)
  const ended = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)))
  await stopLine(temp, older)
  expect(await ended).toBe('SIGTERM')
  expect(quiet.every(isConnected)).toBe(true)
})

it('leaves when its last line ends', async () => {
  await Promise.all(quiet.map((one) => stopLine(temp, one)))
  await waitFor('its end', () => programs().length === 0)
  expect(readdirSync(linesPaths(temp.home).links)).toEqual([])
})
