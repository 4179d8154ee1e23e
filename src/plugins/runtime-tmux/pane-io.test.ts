import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { silentLog } from '../../lib/log.ts'
import { plugin } from './index.ts'
import { readScreens } from './pane-io.ts'

let temp: TempHome

beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function runs(name: string, says: string): void {
  const script = `printf '%s\\n' "${says}"; exec sleep 60`
  execFileSync('tmux', ['-L', 'ao', '-f', '/dev/null', 'new-session', '-d', '-s', name, script], { env: temp.env })
}

const handle = (name: string) => ({ id: name, runtimeName: 'tmux' })

it('reads the screens of many sessions, and each is its own', async () => {
  const context = { home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir: temp.home }
  const runtime = plugin.create({ graceMs: 0 }, context)
  runs('one', 'first words')
  runs('two', '')
  runs('three', 'third words')
  const screens = () => runtime.getOutputs!([handle('one'), handle('two'), handle('three')], 10)
  await waitFor('the words', async () => (await screens()).get('three') === 'third words')
  expect(Object.fromEntries(await screens())).toEqual({ one: 'first words', two: '', three: 'third words' })
})

it('a missing session does not hide the others', async () => {
  const context = { home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir: temp.home }
  const runtime = plugin.create({ graceMs: 0 }, context)
  runs('one', 'first words')
  const screens = () => runtime.getOutputs!([handle('gone'), handle('one')], 10)
  await waitFor('the words', async () => (await screens()).get('one') === 'first words')
  expect((await screens()).get('gone')).toBe('')
})

it('a server that does not answer about all of them is not asked about each of them', async () => {
  let questions = 0
  const ask = async () => {
    questions += 1
    return { kind: 'failed', why: 'tmux did not answer' } as const
  }
  const server = { address: ['-L', 'none'], configFile: '/nowhere', env: {}, openClients: { ask } }
  const names = Array.from({ length: 100 }, (_, index) => `s${index}`)
  expect(await readScreens(server, names.map(handle))).toEqual(new Map())
  expect(questions).toBe(1)
})
