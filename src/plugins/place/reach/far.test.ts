// What a host answers is checked: the agent beside it could have written it.
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { duplexPair } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type Far, openFar } from './far.ts'

const HELLO = {
  version: '0.1.0',
  name: 'app-1',
  spawnId: 'one',
  now: 0,
  agent: 'running',
  pid: 7,
  directory: '/d',
  workspace: '/d/w',
}

/** A host that answers each route with this; `GET /hello` as usual, unless it is among them. */
async function hostThat(answers: Record<string, unknown>, status = 200): Promise<Far> {
  const [here, there] = duplexPair()
  const server = createServer()
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const route = `${headers[':method']} ${String(headers[':path']).split('?')[0]}`
    const isHello = route === 'GET /hello' && !(route in answers)
    stream.resume()
    stream.respond({ ':status': isHello ? 200 : status })
    stream.end(JSON.stringify(isHello ? HELLO : answers[route]))
  })
  server.emit('connection', there)
  const close = () => here.destroy()
  const ended = new Promise<{ exitCode: number | null; stderr: string }>((resolve) =>
    here.once('close', () => resolve({ exitCode: 0, stderr: '' })),
  )
  return openFar({ stdin: here, stdout: here, ended, close })
}

describe('an answer of a host', () => {
  it('is accepted as the version before gave it, without what came later', async () => {
    const far = await hostThat({ 'POST /launch': { pid: 12 }, 'POST /end': { ok: true } })
    expect(far.hello).toMatchObject({ agent: 'running', workspace: '/d/w' })
    expect(await far.ask('POST /stop', { body: { graceMs: 0 } }).catch(String)).toContain('POST /stop')
    expect(await far.ask('POST /end', {})).toEqual({ ok: true })
    far.close()
  })

  it.each([
    ['POST /commands', { failed: { command: 1, how: [] } }, { commands: [], timeoutMs: 1, env: {} }],
    ['POST /stop', { ok: true, unproven: [{ pid: 'x' }] }, { graceMs: 1 }],
    ['POST /stop', null, { graceMs: 1 }],
    ['POST /gates/close', 'yes', { id: 'x' }],
  ] as const)('that does not fit is an error with its route: %s %j', async (route, answer, body) => {
    const far = await hostThat({ [route]: answer })
    await expect(far.ask(route, { body } as never)).rejects.toMatchObject({
      code: 'PLACE_FAILED',
      message: expect.stringContaining(route),
    })
    far.close()
  })

  it('that refuses is an error with its words, and not with more than anybody would read', async () => {
    const far = await hostThat({ 'POST /end': { error: 'no '.repeat(100_000) } }, 500)
    const error = await far.ask('POST /end', {}).catch((failure) => failure)
    expect(error.code).toBe('PLACE_FAILED')
    expect(error.message.length).toBeLessThan(5_000)
    far.close()
  })

  it('in which it does not say who it is opens no line', async () => {
    await expect(hostThat({ 'GET /hello': { ...HELLO, agent: 'gone' } })).rejects.toMatchObject({
      code: 'PLACE_UNREACHABLE',
    })
  })
})
