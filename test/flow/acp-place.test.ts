// An agent in a place that speaks ACP, read by agh at home: what stands between them, and what is lost when any of it is killed in the
// middle of a turn.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AghBeside, aghBeside } from '../support/agh-daemon.ts'
import { THOROUGH } from '../support/cover.ts'
import { createMachineHere, type MachineHere } from '../support/machine-here.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `port: 0
defaults: { agent: demo, runtime: acp }
places: { box: { type: ssh, host: box } }
projects:
  app: { path: ., place: box, tracker: local, scm: local }
`

let ao: AoWorld
let agh: AghBeside
let machine: MachineHere

beforeAll(buildAo)
beforeEach(async () => {
  ao = createAoWorld({ config: CONFIG })
  machine = createMachineHere(ao.temp)
  agh = aghBeside(ao.temp.home, ao.temp.env)
  await ao.agree()
})
afterEach(async () => {
  machine.mend()
  await ao.ao(['session', 'kill', 'app-1', '--purge', '--force'])
  await agh.stop()
  expect(await ao.temp.cleanup()).toEqual([])
})

interface Listed {
  sessions: Array<{ activity: string | null; status: string }>
}

const session = async () => (await ao.json<Listed>(['status'])).sessions[0]!
const until = (activity: string) =>
  waitFor(activity, async () => (await session()).activity === activity, 40_000).catch(async (error) => {
    throw new Error(`${error}\n${(await ao.ao(['why', 'app-1'])).stdout}`)
  })
const history = () => agh.agh('session', 'history', agh.sessions()[0]!.id)
const told = (text: string) => waitFor(text, () => history().includes(text), 40_000)

async function spawn(...script: string[]): Promise<void> {
  const spawned = await ao.ao(['spawn', '--prompt', script.map((line) => `demo: ${line}`).join('\n')])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
}

async function send(text: string): Promise<void> {
  const sent = await ao.ao(['send', 'app-1', text])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
}

it('gets a file that goes along with a message, in the workspace of its place', async () => {
  await spawn('ask Which?')
  const file = join(ao.temp.home, 'notes.md')
  writeFileSync(file, 'from home')
  const sent = await ao.ao(['send', 'app-1', 'read this', '--no-wait', '-f', file])
  expect(sent.code, sent.stderr).toBe(0)
  const there = readdirSync(ao.temp.home, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.ao\/attachments\/[0-9a-f]{8}-notes\.md$/.test(path),
  )
  expect(there).toHaveLength(1)
  expect(readFileSync(join(ao.temp.home, there[0]!), 'utf8')).toBe('from home')
  const { session: shown } = await ao.json<{ session: { workspacePath: string } }>(['session', 'show', 'app-1'])
  expect(join(ao.temp.home, there[0]!).startsWith(shown.workspacePath)).toBe(false)
})

/** Of this home, by what they run. */
function processes(): Array<{ pid: number; argv: string[] }> {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
        const env = readFileSync(`/proc/${pid}/environ`, 'utf8')
        return [...argv, env].some((one) => one.includes(ao.temp.home)) ? [{ pid: Number(pid), argv }] : []
      } catch {
        // It ended meanwhile.
        return []
      }
    })
}

/** Ours, without the daemon at one end and the agent at the other. */
function between(): string[] {
  return processes().flatMap(({ argv }) => {
    const program = argv.find((word) => /\.c?js$/.test(word))
    const name = program?.split('/').at(-1) ?? ''
    return program && !/^(?:agh|demo-agent)/.test(name) ? [name] : []
  })
}

/** Those that run it: one that was killed just before may be about to be started again. */
const running = (name: string) =>
  waitFor(name, () => {
    const found = processes().filter(({ argv }) => argv.some((word) => word.endsWith(`/${name}`)))
    return found.length > 0 ? found : undefined
  })

async function kill(...names: string[]): Promise<void> {
  const found = (await Promise.all(names.map(running))).flat()
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // It ended with the one before it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** A program that is being started shows for a moment with the arguments of the one that starts it. */
const untilThree = () =>
  waitFor('exactly three programs', () => {
    const names = between().toSorted().join(' ')
    return names === 'connect.cjs host.js place-lines.js' || Promise.reject(new Error(names))
  })

/** A turn of many small updates, long enough to kill something in it. */
const longTurn = (name: string) =>
  [...Array.from({ length: 12 }, (_, n) => [`say ${name}-${n}.`, 'wait 0.2']).flat(), 'finish done']
    .map((line) => `demo: ${line}`)
    .join('\n')

function expectOnce(name: string): void {
  const text = history()
  // Once in the prompt, once in what the agent said.
  for (let n = 0; n < 12; n++) expect(text.split(`${name}-${n}.`).length - 1, `${name}-${n} in:\n${text}`).toBe(2)
  expect(text.indexOf(`${name}-0.`)).toBeLessThan(text.lastIndexOf(`${name}-11.`))
}

it('is three programs of ours away, and none of them loses or doubles anything when it is killed in a turn', async () => {
  await spawn('say hello', 'finish done')
  await until('ready')
  await untilThree()

  for (const name of THOROUGH ? (['place-lines.js', 'connect.cjs', 'daemon'] as const) : []) {
    await send(longTurn(name))
    await told(`${name}-2.`)
    if (name === 'daemon') await agh.kill()
    else await kill(name)
    await until('ready')
    expectOnce(name)
  }
  // All of them at once: each ends soon after the one before it, and only the next question starts them again.
  await send(longTurn('all'))
  await told('all-2.')
  await Promise.all([agh.kill(), kill('place-lines.js', 'connect.cjs')])
  await until('ready')
  expectOnce('all')
  await untilThree()
  expect(agh.sessions()).toHaveLength(1)
  // Four long turns, each with something that has to be found again: most of a minute on an idle machine.
}, 180_000)

it('a daemon that comes late gets what an agent said that has ended meanwhile', async () => {
  await spawn('say hello', 'finish done')
  await until('ready')
  await send('demo: wait 1\ndemo: say the last words.\ndemo: crash')
  await agh.kill()
  const state = join(ao.temp.home, '.agent-orchestrator')
  await waitFor('its end at home', () =>
    readdirSync(state, { recursive: true, encoding: 'utf8' }).some((name) => /app-1\/host-\w+\/exit\.json$/.test(name)),
  )
  // Nobody can ask its host now.
  machine.cut()
  await kill('place-lines.js')
  await until('exited')
  expect(history().split('the last words.').length - 1).toBe(2)
  machine.mend()
})

it('the host there is killed: the agent ends with it, its words and its work are home, and restore continues', async () => {
  await spawn('say hello', 'append notes one', 'finish done')
  await until('ready')
  await send('demo: append notes two\ndemo: say before the end.\ndemo: wait 60')
  await waitFor('its words there', () =>
    readdirSync(join(machine.root, '.ao-place'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /output\/out-\d+$/.test(name))
      .some((name) => readFileSync(join(machine.root, '.ao-place', name), 'utf8').includes('before the end.')),
  )
  await kill('host.js')
  await until('exited')
  expect((await ao.ao(['why', 'app-1'])).stdout).toContain('its host was killed')
  expect(history().split('before the end.').length - 1).toBe(2)
  const notes = join(ao.temp.home, '.worktrees', 'app', 'app-1', 'notes')
  expect(readFileSync(notes, 'utf8')).toContain('two')
  const restored = await ao.ao(['session', 'restore', 'app-1'])
  expect(restored.code, restored.stderr).toBe(0)
  await send('demo: say after the restore.')
  await told('after the restore.')
  await until('ready')
  await untilThree()
})
