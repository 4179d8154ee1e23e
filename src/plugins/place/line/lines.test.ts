import { existsSync, mkdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import { waitFor } from '../../../../test/support/wait-for.ts'
import { silentLog } from '../../../lib/log.ts'
import type { Channel, PlaceEngine } from '../../../slots/place.ts'
import { lineLock, readLineState, stateFile, writeLineSpec } from '../home/line-files.ts'
import { lineRuns } from '../home/start-line.ts'
import { createLines, type Lines, type WantedLine } from './lines.ts'

let temp: TempHome
let lines: Lines
let links: string
/** How a place is reached, by the session's name; the usual one otherwise. */
let channels: Record<string, () => Promise<Channel>>
let seen: Record<string, string | undefined>

beforeEach(() => {
  temp = createTempHome()
  links = join(temp.home, 'lines')
  channels = {}
  seen = {}
  lines = create()
})
afterEach(async () => {
  await lines.close()
  expect(await temp.cleanup()).toEqual([])
})

function create(): Lines {
  const openEngine = async ({ name }: { name: string }, env: NodeJS.ProcessEnv) => {
    seen[name] = env.WHOSE
    const channel = channels[name] ?? answering
    return { channel, probe: async () => ({ state: 'unknown', why: 'nobody asked it' }) } as unknown as PlaceEngine
  }
  return createLines({ links, openEngine, log: silentLog, onEmpty: () => undefined })
}

function wanted(spawnId: string): WantedLine {
  const stateDir = join(temp.home, 'state', spawnId)
  mkdirSync(stateDir, { recursive: true })
  const there = { engine: 'fake', options: {}, configDir: '/', ref: 'x', host: ['host'], directory: '/', home: null }
  const socket = join(temp.home, `${spawnId}.sock`)
  writeLineSpec(stateDir, { name: spawnId, spawnId, sessionId: spawnId, socket, ...there })
  return { spawnId, stateDir, env: { WHOSE: spawnId } }
}

/** A host that says who it is and nothing else. */
async function answering(): Promise<Channel> {
  const [here, there] = duplexPair()
  const server = createServer()
  const hello = { version: '0', name: 'x', spawnId: 'x', now: Date.now(), agent: 'running', pid: 1 }
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.respond({ ':status': 200 })
    if (headers[':path'] === '/hello') stream.end(JSON.stringify({ ...hello, directory: '/', workspace: '/' }))
  })
  server.emit('connection', there)
  const ended = new Promise<Awaited<Channel['ended']>>((resolve) =>
    here.once('close', () => resolve({ exitCode: 0, stderr: '' })),
  )
  return { stdin: here, stdout: here, ended, close: () => here.destroy() }
}

const connected = ({ stateDir, spawnId }: WantedLine) => readLineState(stateDir, spawnId)?.connected === true
const runs = (one: WantedLine) => lineRuns(one, readLineState(one.stateDir, one.spawnId))

it('keeps each line with its own environment, once, and names it by a link before it says so', async () => {
  const [one, two] = [wanted('one'), wanted('two')]
  await Promise.all([lines.keep(one), lines.keep(one), lines.keep(two)])
  expect(readlinkSync(join(links, 'one'))).toBe(one.stateDir)
  await waitFor('both', () => connected(one) && connected(two))
  expect(seen).toEqual({ one: 'one', two: 'two' })
  expect(lines.list()).toHaveLength(2)
  await expect(lines.keep({ ...two, spawnId: 'one' })).rejects.toMatchObject({ code: 'USAGE' })
})

it('ends only the line that an error came out of, also later, and opens it again', async () => {
  const [one, two] = [wanted('one'), wanted('two')]
  let blamed: boolean | null = null
  channels.two = async () => {
    setTimeout(() => {
      blamed = lines.blame(new Error('boom'))
    })
    return answering()
  }
  await lines.keep(one)
  await lines.keep(two)
  await waitFor('the end of the second', () => blamed && !runs(two))
  expect(runs(one)).toBe(true)
  expect(lines.list().map(({ spawnId }) => spawnId)).toEqual(['one'])
  expect(lines.blame(new Error('of nobody'))).toBe(false)
  delete channels.two
  await lines.keep(two)
  await waitFor('it again', () => connected(two) && runs(two))
})

it('says that a line was dropped when nothing more of it will be written, whatever is under way', async () => {
  const one = wanted('one')
  const late = Promise.withResolvers<Channel>()
  channels.one = () => late.promise
  await lines.keep(one)
  await lines.drop('one')
  const before = readFileSync(stateFile(one.stateDir, 'one'), 'utf8')
  const channel = await answering()
  late.resolve(channel)
  await channel.ended
  expect(readFileSync(stateFile(one.stateDir, 'one'), 'utf8')).toBe(before)
  expect([existsSync(lineLock(one.stateDir, 'one')), existsSync(join(links, 'one'))]).toEqual([false, false])
})

it('waits for one that is ending before it opens it again', async () => {
  const one = wanted('one')
  await lines.keep(one)
  await Promise.all([lines.drop('one'), lines.keep(one)])
  await waitFor('it again', () => connected(one) && runs(one))
})

it('continues with what links name, and forgets a session that is gone', async () => {
  const one = wanted('one')
  await lines.keep(one)
  await lines.close()
  const gone = { spawnId: 'gone', stateDir: join(temp.home, 'state', 'one'), env: {} }
  await lines.keep(gone)
  expect(existsSync(join(links, 'gone'))).toBe(false)
  lines = create()
  await lines.keepLinked({ WHOSE: 'the next program' })
  await waitFor('it', () => connected(one))
  expect(seen.one).toBe('the next program')
})
