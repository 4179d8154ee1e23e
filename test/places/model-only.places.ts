// `network: model-only` in a real container: from inside, the model's server answers through home, and nothing else does.
import { execFile } from 'node:child_process'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { aghBeside } from '../support/agh-daemon.ts'
import { buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startEngine, type TestEngine, whyNoDocker } from './docker-daemon.ts'
import { killWith } from './kill-with.ts'
import { hostWords, ready, startSession, worldWithPlaces } from './session-there.ts'

const kind = process.env.AO_TEST_PODMAN ? 'podman' : 'docker'
const no = whyNoDocker(kind)
const endings: Array<() => Promise<unknown>> = []
const onEnd = (end: () => Promise<unknown>) => void endings.push(end)

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Answers whatever it is told; counts who came. */
async function startServer(name: string): Promise<{ address: string; port: number; connections(): number }> {
  let connections = 0
  const server: Server = createServer((socket) => {
    connections++
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => socket.write(`${name}: ${chunk}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(async () => void server.close())
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, port, connections: () => connections }
}

/** The proxy as the agent's environment names it; then CONNECT, and a word to whoever answers. */
const ASK = `p=$(cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | sed -n 's#^HTTPS_PROXY=http://127.0.0.1:##p' | head -n 1)
{ printf 'CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "$1" "$1"; sleep 2; printf hello; sleep 2; } | nc 127.0.0.1 "$p"`

function programsIn(engine: TestEngine) {
  // Not `engine.run`, which blocks this process, and with it both servers.
  const inside = async (...argv: string[]) => {
    const args = ['--host', engine.host, 'exec', engine.containers()[0]!, 'sh', '-c', ...argv]
    return (await promisify(execFile)('docker', args, { timeout: 30_000 })).stdout
  }
  return { inside, ask: (target: string) => inside(ASK, 'sh', target) }
}

describe.skipIf(no !== null)(`network: model-only in a container${no ? ` (${no})` : ''}`, () => {
  it('reaches the servers of models through home, and nothing else', async () => {
    const engine = await startEngine(kind)
    endings.push(() => engine.stop())
    const model = await startServer('model')
    const other = await startServer('other')
    const options = `image: '${engine.image}', host: '${engine.host}', modelHosts: ['${model.address}']`
    const ao = await startSession({ places: `{ there: { type: docker, ${options}, network: model-only } }`, onEnd })
    const { inside, ask } = programsIn(engine)

    expect(await ask(model.address)).toMatch(/^HTTP\/1\.1 200 .*model: hello/s)
    expect(model.connections()).toBe(1)
    for (const target of [other.address, 'example.com:443', `localhost:${model.port}`, '127.0.0.1:22', 'nonsense']) {
      expect(await ask(target), target).toMatch(/^HTTP\/1\.1 40[03] /)
    }
    // Past the proxy there is no network at all.
    expect((await inside('ls /sys/class/net')).trim()).toBe('lo')
    expect(await inside(`echo hello | nc -w 3 127.0.0.1 ${model.port} || echo no`)).toBe('no\n')
    expect(other.connections()).toBe(0)

    // The line dies: the next one is home again.
    killWith('place-line', ao.temp.home)
    expect(await ask(model.address)).toMatch(/^HTTP\/1\.1 503 .*Home cannot be reached now/s)
    await waitFor('home', async () => {
      await ao.ao(['status'])
      return (await ask(model.address)).includes('model: hello')
    })
  })

  it('over ACP a killed host takes its agent along, and a restored one finds its proxy at the next host', async () => {
    const engine = await startEngine(kind)
    endings.push(() => engine.stop())
    const model = await startServer('model')
    const options = `image: '${engine.image}', host: '${engine.host}', modelHosts: ['${model.address}']`
    const places = `{ there: { type: docker, ${options}, network: model-only } }`
    const ao = await worldWithPlaces({ places, runtime: 'acp', onEnd })
    const agh = aghBeside(ao.temp.home, ao.temp.env)
    onEnd(() => agh.stop())
    const spawned = await ao.ao(['spawn', '--place', 'there', '--prompt', 'demo: say hello'])
    expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
    await ready(ao)
    const { ask } = programsIn(engine)
    expect(await ask(model.address)).toContain('model: hello')
    expect(killWith(hostWords(ao))).toBe(1)
    await waitFor('the end', async () => (await ao.ao(['session', 'ls'])).stdout.includes('exited'), 60_000)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await waitFor('the next host', async () => (await ask(model.address)).includes('model: hello'), 60_000)
    const sent = await ao.ao(['send', 'app-1', 'demo: say still here'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    await ready(ao)
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  }, 300_000)
})
