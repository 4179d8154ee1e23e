// npm run torture -- long-run: sessions come, open pull requests, are merged and go, beside open pages, for AO_MINUTES.
// Memory, descriptors and the log stay bounded.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { buildAo, createAoWorld } from '../test/support/run-ao.ts'
import { campaign } from './campaign.ts'

buildAo()

const CONFIG = `port: 0
lifecycle: { pollSeconds: 2 }
defaults: { notifiers: [] }
reactions:
  approved-and-green: { auto: true }
projects:
  app:
    path: .
    agent: demo
    tracker: local
    scm: local
`

campaign('long run', async (one) => {
  const minutes = Number(process.env.AO_MINUTES ?? 10)
  const world = createAoWorld({ config: CONFIG })
  const sockets: Socket[] = []
  one.afterwards(async () => {
    for (const socket of sockets) socket.destroy()
    await world.ao(['stop', '--sessions'])
    return world.temp.cleanup()
  })
  await world.ao(['config', 'trust', '--yes'])
  const { pid } = await world.json<{ pid: number }>(['start'])
  const run = join(world.temp.home, '.ao', 'run')
  const fileOf = (ending: string) => join(run, readdirSync(run).find((name) => name.endsWith(ending))!)
  const { port } = JSON.parse(readFileSync(fileOf('.json'), 'utf8')) as { port: number }
  const token = readFileSync(fileOf('.token'), 'utf8').trim()
  for (let n = 0; n < 3; n++) sockets.push(openStream(port, token))
  const sample = () => ({
    mb: Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    logKb: Math.round(statSync(fileOf('.log')).size / 1024),
  })
  const samples = [sample()]
  const until = Date.now() + minutes * 60_000
  let nextSample = Date.now() + 60_000
  for (let n = 1; Date.now() < until; n++) {
    const prompt = `demo: append notes-${n} x\ndemo: commit notes ${n}\ndemo: pr Notes ${n}\ndemo: finish done`
    await world.ao(['spawn', '--prompt', prompt])
    one.tried('sessions')
    if (n > 3) await world.ao(['pr', 'review', String(n - 3), '--approve'])
    if (n % 10 === 0) await world.ao(['session', 'cleanup'])
    if (Date.now() < nextSample) continue
    nextSample += 60_000
    samples.push(sample())
    one.tried('minutes')
  }
  samples.push(sample())
  one.log(
    samples.map(({ mb, descriptors, logKb }) => `${mb} MB, ${descriptors} descriptors, log ${logKb} kB`).join('\n'),
  )
  const [first, last] = [samples[Math.min(1, samples.length - 1)]!, samples.at(-1)!]
  if (last.descriptors - first.descriptors > 30) one.broken(`descriptors: ${first.descriptors} -> ${last.descriptors}`)
  if (last.mb > 400) one.broken(`memory: ${first.mb} -> ${last.mb} MB`)
  if (last.logKb > 10_240) one.broken(`the log has ${last.logKb} kB`)
})

function openStream(port: number, token: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`)
  return socket
}
