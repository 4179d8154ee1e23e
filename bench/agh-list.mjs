// `agh session list` with 1,000 stopped sessions against a node that starts and asks the daemon one question.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGH, createPlace } from './agh-place.mjs'
import { compare, report } from './measure.mjs'

const FLOOR = new URL('./agh-request-floor.mjs', import.meta.url).pathname
const SESSIONS = 1_000
const ROUNDS = 25

export async function run() {
  console.log(`agh session list, ${SESSIONS} stopped sessions (raw limit: node that sends one request)`)
  const place = createPlace()
  try {
    makeStopped(place, SESSIONS)
    const node =
      (...args) =>
      () =>
        spawnSync(process.execPath, args, { env: place.env, stdio: ['ignore', 'pipe', 'ignore'] })
    const medians = await compare(
      {
        bare: node('-e', '0'),
        raw: node(FLOOR, place.socket, '/api/daemon/status'),
        rawAll: node(FLOOR, place.socket, '/api/sessions'),
        list: node(AGH, 'session', 'list'),
        all: node(AGH, 'session', 'list', '--all'),
        json: node(AGH, 'session', 'list', '--all', '-o', 'json'),
      },
      ROUNDS,
    )
    report('node -e 0', medians.bare, medians.raw)
    report('node and one small request', medians.raw, medians.raw)
    report('agh session list', medians.list, medians.raw, 1.5)
    report('node that reads all sessions', medians.rawAll, medians.rawAll)
    report('agh session list --all', medians.all, medians.rawAll, 1.5)
    report('agh session list --all -o json', medians.json, medians.rawAll, 1.5)
  } finally {
    place.remove()
  }
}

function makeStopped({ run, sessions, workspace }, count) {
  const { id: first } = JSON.parse(run(['session', 'new', '--agent', 'idle', '--cwd', workspace, '-o', 'json'])).session
  run(['session', 'stop', first])
  const meta = JSON.parse(readFileSync(join(sessions, first, 'meta.json'), 'utf8'))
  for (let n = 1; n < count; n++) {
    const id = `sess-${String(n).padStart(16, '0')}`
    mkdirSync(join(sessions, id))
    writeFileSync(join(sessions, id, 'meta.json'), JSON.stringify({ ...meta, id, name: `session ${n}` }, null, 2))
  }
}
