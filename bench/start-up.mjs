// The command against a node that does nothing: --version, and session ls with 0, 1, 50 and 200 sessions.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AO, createHome } from './home.mjs'
import { compare, report } from './measure.mjs'
import { countSubprocesses } from './subprocesses.mjs'

/** What any program must do to list 200 sessions: read their files, ask tmux once. */
const FLOOR = new URL('./list-floor.mjs', import.meta.url).pathname
const ROUNDS = 25

export async function run() {
  console.log('start-up (raw limit: node -e 0)')
  const places = [0, 1, 50, 200].map(createPlace)
  try {
    const node = (args, options) => () => spawnSync(process.execPath, args, { stdio: 'ignore', ...options })
    const medians = await compare(
      {
        raw: node(['-e', '0']),
        version: node([AO, '--version']),
        floor: node([FLOOR, places.at(-1).sessions], { env: places.at(-1).env }),
        ...Object.fromEntries(
          places.map(({ count, cwd, env }) => [`ls${count}`, node([AO, 'session', 'ls'], { cwd, env })]),
        ),
      },
      ROUNDS,
    )
    report('node -e 0', medians.raw, medians.raw)
    report('ao --version', medians.version, medians.raw, 1.05)
    report('a script that reads 200 files and asks tmux', medians.floor, medians.raw)
    for (const { count } of places) {
      report(`ao session ls, ${count} sessions`, medians[`ls${count}`], medians.raw, count === 200 ? 3 : undefined)
    }
    for (const place of places) {
      console.log(
        `  subprocesses of ao session ls, ${place.count} sessions: ${countSubprocesses(place, ['session', 'ls'])}`,
      )
    }
  } finally {
    for (const place of places) removePlace(place)
  }
}

/** A HOME with a repository and so many sessions, each with a live tmux pane and a record of its agent. */
function createPlace(count) {
  const { home, cwd, env } = createHome()
  execFileSync('git', ['init', '--quiet', cwd], { env })
  writeFileSync(join(cwd, 'agent-orchestrator.yaml'), 'projects:\n  app:\n    path: .\n    agent: demo\n')
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 12)
  const project = join(home, '.agent-orchestrator', `${hash}-app`)
  const sessions = join(project, 'sessions')
  mkdirSync(sessions, { recursive: true })
  writeFileSync(join(project, '.origin'), `${join(cwd, 'agent-orchestrator.yaml')}\n`)
  const tmux = (...args) => execFileSync('tmux', ['-L', 'ao', '-f', '/dev/null', ...args], { env, stdio: 'ignore' })
  for (let n = 1; n <= count; n++) {
    const id = `app-${n}`
    tmux('new-session', '-d', '-s', `${hash}-${id}`, 'sleep 3600')
    writeSession({ sessions, project, id, hash })
  }
  return { count, home, cwd, env, sessions }
}

function writeSession({ sessions, project, id, hash }) {
  const now = new Date().toISOString()
  writeFileSync(
    join(sessions, id),
    [
      'project=app',
      `worktree=${join(project, 'none', id)}`,
      `branch=feat/${id}`,
      'status=working',
      `tmuxName=${hash}-${id}`,
      'agent=demo',
      `createdAt=${now}`,
      `runtimeHandle=${JSON.stringify({ id: `${hash}-${id}`, runtimeName: 'tmux' })}`,
      'role=worker',
      'runtime=tmux',
      'summary=a session of the benchmark',
      '',
    ].join('\n'),
  )
}

function removePlace({ home, env }) {
  spawnSync('tmux', ['-L', 'ao', 'kill-server'], { env, stdio: 'ignore' })
  rmSync(home, { recursive: true, force: true })
}
