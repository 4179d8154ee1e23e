// A very long history, and pages that never read: the loop stays small and quick, and so do the commands.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const MESSAGES = 2_000
const MESSAGE_BYTES = 20_000
const READERS = 200

let world: AoWorld
let sockets: Socket[]
let token: string
let port: number
let pid: number

beforeAll(async () => {
  buildAo()
  world = createAoWorld({ config: 'port: 0\nprojects:\n  app:\n    path: .\n    agent: demo\n' })
  sockets = []
  expect(await world.ao(['spawn', '--prompt', 'demo: ask Which?'])).toMatchObject({ code: 0 })
  const history = historyFile()
  const { seq } = JSON.parse(readFileSync(history, 'utf8').trim().split('\n').at(-1)!)
  for (let n = 1; n <= MESSAGES; n++) appendFileSync(history, message(seq + n))
  pid = (await world.json<{ pid: number }>(['start'])).pid
  const run = join(world.temp.home, '.ao', 'run')
  const fileOf = (ending: string) => join(run, readdirSync(run).find((name) => name.endsWith(ending))!)
  token = readFileSync(fileOf('.token'), 'utf8').trim()
  port = JSON.parse(readFileSync(fileOf('.json'), 'utf8')).port
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await world.ao(['stop'])
  expect(await world.temp.cleanup()).toEqual([])
})

function historyFile(): string {
  const data = join(world.temp.home, '.agent-orchestrator')
  return join(data, readdirSync(data).find((name) => name.endsWith('-app'))!, 'history', 'app-1.jsonl')
}

function message(seq: number): string {
  const text = 'x'.repeat(MESSAGE_BYTES)
  const event = {
    seq,
    at: new Date().toISOString(),
    sessionId: 'app-1',
    type: 'message.queued',
    messageId: `m${seq}`,
    text,
    source: 'user',
  }
  return `${JSON.stringify(event)}\n`
}

/** Opens a stream and reads no more than the system buffers. */
function openDeafReader(): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.once('data', () => {
      socket.pause()
      resolve()
    })
    socket.write(
      `GET /api/stream?session=app-1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
  })
}

const megabytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

async function ask(path: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  })
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  return performance.now() - started
}

it.runIf(process.platform === 'linux')('keeps the loop small and fast beside readers that never read', async () => {
  await ask('/api/sessions')
  await ask('/api/sessions/app-1')
  const before = megabytes()
  const times: number[] = []
  for (let n = 0; n < READERS; n += 20) {
    await Promise.all(Array.from({ length: 20 }, openDeafReader))
    times.push(await ask('/api/sessions'))
  }
  for (let n = 1; n <= 30; n++) {
    appendFileSync(historyFile(), message(10_000 + n))
    times.push(await ask('/api/sessions'))
  }
  times.sort((a, b) => a - b)
  console.log(
    `RSS ${before.toFixed()} -> ${megabytes().toFixed()} MB; requests: median ${times[times.length >> 1]!.toFixed()}, longest ${times.at(-1)!.toFixed()} ms`,
  )
  expect(megabytes() - before).toBeLessThan(64)
  expect(times[times.length >> 1]).toBeLessThan(200)
  process.kill(pid, 0)
})

describe('commands', () => {
  it.each([
    [['why', 'app-1'], 'because'],
    [['session', 'show', 'app-1'], '10 of '],
    [['events', 'app-1', '-n', '3'], 'message from user'],
    [['events', '-n', '3'], 'message from user'],
    [['events', 'app-1', '--after', '10028'], 'message from user'],
  ])('answer at once: %j', async (args, output) => {
    const started = performance.now()
    const { code, stdout } = await world.ao(args)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(output) })
    console.log(`${args.join(' ')}: ${(performance.now() - started).toFixed()} ms`)
  })

  it('follow what is new, and only that', async () => {
    await waitFor('the end of the history', async () => (await world.ao(['events', 'app-1', '-n', '1'])).stdout !== '')
    expect((await world.ao(['events', 'app-1', '--after', '99999999'])).stdout).toBe('')
  })
})
