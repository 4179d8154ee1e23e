// The dashboard as its users meet it: `ao start` serves it, `ao dashboard` opens it, and a page outlives a new
// configuration and a restart.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { hashConfigDir } from '../../src/lib/process/own-home.ts'
import { applyFrame, type EventReader, emptyPage, readEvents } from '../dashboard/event-source.ts'
import { rawRequest } from '../dashboard/raw-request.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

let world: AoWorld
let reader: EventReader | null

beforeAll(() => buildAo(), 120_000)
beforeEach(() => {
  reader = null
  world = createAoWorld()
})
afterEach(async () => {
  reader?.close()
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
}, 60_000)

interface Shown {
  url: string
  link: string
  port: number
  loopRunning: boolean
}

const files = () => join(world.temp.home, '.ao', 'run', hashConfigDir(world.repo))
const token = () => readFileSync(`${files()}.token`, 'utf8').trim()
const config = () => join(world.repo, 'agent-orchestrator.yaml')

async function signIn(link: string): Promise<string> {
  const { port, pathname, search } = new URL(link)
  const { headers } = await rawRequest({ port: Number(port), path: `${pathname}${search}` })
  return String(headers['set-cookie']).split(';')[0]!
}

it('is opened by a link that works once, and stays open over a restart of ao start', async () => {
  const started = await world.ao(['start'])
  expect(started.stdout).toMatch(/dashboard: http:\/\/localhost:\d+\/sign-in\?code=/)
  const shown = await world.json<Shown>(['dashboard'])
  expect(shown).toMatchObject({ code: 0, loopRunning: true, url: `http://localhost:${shown.port}` })
  const cookie = await signIn(shown.link)
  const access = (port: number) => rawRequest({ port, path: '/api/access', headers: { cookie } })
  expect((await access(shown.port)).status).toBe(200)
  expect(await signIn(shown.link)).toBe('undefined')

  await world.ao(['stop'])
  // Made while no server runs, and good for the next one.
  expect((await world.json<{ port: number }>(['start'])).code).toBe(0)
  const again = await world.json<Shown>(['dashboard'])
  expect((await access(again.port)).status).toBe(200)
}, 120_000)

it('keeps a page connected while the configuration changes, and says when a change is not used', async () => {
  const { port } = await world.json<{ port: number }>(['start'])
  let ended = false
  reader = await readEvents({ port, token: token(), onEnd: () => (ended = true) })
  const page = () => {
    const state = emptyPage()
    for (const frame of reader!.frames) applyFrame(state, frame)
    return state.board
  }
  await waitFor('the board', () => page()?.loopRunning)
  const before = readFileSync(config(), 'utf8')
  writeFileSync(config(), `${before}  second:\n    path: .\n    sessionPrefix: two\n    agent: demo\n`)
  await waitFor('the new project', () => page()?.projects.some(({ id }) => id === 'second'))
  writeFileSync(config(), 'projects: 7\n')
  const notice = await waitFor('the notice', () => page()?.notices[0])
  expect(notice).toMatchObject({ level: 'error' })
  expect(notice.text).toContain('projects')
  writeFileSync(config(), before)
  await waitFor('all to be well again', () => page()?.notices.length === 0 && page()?.projects.length === 1)
  expect(ended).toBe(false)
}, 120_000)

it('says who has the port, in the background as in the foreground', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  try {
    for (const args of [['start'], ['start', '--foreground'], ['dashboard']]) {
      const refused = await world.ao([...args, '--json'], { env: { AO_PORT: String(port) } })
      const { error } = JSON.parse(refused.stdout || refused.stderr) as { error: { code: string; hint: string } }
      expect([args, refused.code, error.code]).toEqual([args, 5, 'PORT_TAKEN'])
      expect(error.hint).toContain('port:')
    }
  } finally {
    await new Promise((resolve) => other.close(resolve))
  }
}, 120_000)

it('is served without the loop until Ctrl-C', async () => {
  const child = spawn(process.execPath, [AO, 'dashboard', '--no-open'], { cwd: world.repo, env: world.temp.env })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  const link = await waitFor('the link', () => /http:\S+/.exec(output)?.[0])
  const port = Number(new URL(link).port)
  const headers = { cookie: await signIn(link) }
  const { text } = await rawRequest({ port, path: '/api/sessions', headers })
  expect(JSON.parse(text)).toMatchObject({ sessions: [], loopRunning: false })
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)))
  child.kill('SIGINT')
  expect(await ended).toBe(0)
}, 60_000)
