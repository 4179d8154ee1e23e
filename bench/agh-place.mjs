// A home of agh for one measurement: agents, a daemon, sessions; and all of it gone afterwards.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const AGH = new URL('../dist/agh.js', import.meta.url).pathname
/** Does what its prompt says, such as `stream 10000`. */
export const SCRIPTED = [process.execPath, new URL('../test/fixtures/acp-agent.ts', import.meta.url).pathname]
/** Of one megabyte, for sessions that only have to be there. */
const IDLE = ['/bin/sh', new URL('./agh-idle-agent.sh', import.meta.url).pathname]

export function createPlace() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'aghb-')))
  const env = { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8', XDG_CACHE_HOME: join(home, '.cache') }
  const workspace = join(home, 'app')
  mkdirSync(workspace)
  const agh = join(home, '.agh')
  for (const [name, command] of Object.entries({ general: SCRIPTED, idle: IDLE })) {
    mkdirSync(join(agh, 'agents', name), { recursive: true })
    writeFileSync(join(agh, 'agents', name, 'AGENT.md'), `---\ncommand: ${JSON.stringify(command)}\n---\n`)
  }
  writeFileSync(join(agh, 'config.toml'), '[http]\nport = 0\n')
  const run = (args, options = {}) => {
    const result = spawnSync(process.execPath, [AGH, ...args], { cwd: workspace, env, encoding: 'utf8', ...options })
    if (result.status !== 0) throw new Error(`agh ${args.join(' ')}: ${result.stderr}`)
    return result.stdout
  }
  return {
    home,
    env,
    workspace,
    sessions: join(agh, 'sessions'),
    socket: join(agh, 'daemon.sock'),
    run,
    call: (path, body) => call(join(agh, 'daemon.sock'), path, body),
    remove() {
      run(['daemon', 'stop'])
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The answer as text; with a body it is a POST. */
function call(socketPath, path, body) {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = request({ socketPath, path, method, headers: { 'content-type': 'application/json' } }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
