// A home with one configuration, records without agents, and the real `ao start` over them.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAoPlace, GENERIC } from './home.mjs'

const STATUSES = ['working', 'working', 'needs_input', 'review_pending', 'stuck', 'ci_failed', 'done', 'merged']

const ENDED = new Set(['done', 'merged', 'killed'])
const ALARMS = new Set(['needs_input', 'stuck'])

export function createBoardPlace() {
  const place = createAoPlace({
    app: `sessionPrefix: app, runtime: tmux, ${GENERIC}`,
    real: `sessionPrefix: re, runtime: tmux, ${GENERIC}`,
  })
  const { home, cwd, ao } = place
  const made = new Date(Date.now() - 3_600_000).toISOString()
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 12)
  const sessions = join(home, '.agent-orchestrator', `${hash}-app`, 'sessions')
  const history = join(sessions, '..', 'history')
  mkdirSync(sessions, { recursive: true })
  mkdirSync(history)
  return {
    ...place,
    /** As the store writes it: a new file in the place of the old one. */
    writeSession(n, { title, ended }) {
      const id = `app-${n}`
      const status = ended ?? STATUSES[n % STATUSES.length]
      const pairs = {
        project: 'app',
        status,
        // The facts behind it: without them, the first tick writes every record anew.
        ...factsOf(status),
        statusSince: made,
        branch: `feat/issue-${n}`,
        issue: String(n),
        issueTitle: title,
        agent: 'generic',
        createdAt: made,
        lastActivityAt: made,
        summary: `Session ${n} does what issue ${n} asks for, and says so in a sentence of usual length.`,
      }
      const temporary = join(sessions, `.${id}.tmp`)
      writeFileSync(
        temporary,
        Object.entries(pairs)
          .map(([key, value]) => `${key}=${value}\n`)
          .join(''),
      )
      renameSync(temporary, join(sessions, id))
      if (ended !== undefined) writeEnd(join(history, `${id}.jsonl`), id, ended)
    },
    start() {
      const { pid, port } = JSON.parse(ao('start', '--json'))
      const run = join(home, '.ao', 'run')
      const token = readFileSync(
        join(
          run,
          readdirSync(run).find((name) => name.endsWith('.token')),
        ),
        'utf8',
      ).trim()
      return {
        ...describeProcess(pid),
        port,
        token,
        link: () => JSON.parse(ao('dashboard', '--no-open', '--json')).link,
      }
    },
    async untilAnswered({ port, token }) {
      const response = await fetch(`http://127.0.0.1:${port}/api/sessions`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await response.json()
    },
  }
}

function factsOf(status) {
  if (ENDED.has(status)) return { endedAs: status }
  return { launched: 'yes', ...(ALARMS.has(status) && { alarm: status }) }
}

/** Its history, once: it was started, did something, and a command or a merge ended it. */
function writeEnd(file, id, ended) {
  if (existsSync(file)) return
  const handle = { id, runtimeName: 'tmux' }
  const events = [
    { type: 'session.reserved', project: 'app', agent: 'generic', branch: null, issue: null, role: 'worker' },
    { type: 'operation.started', operation: 'spawn' },
    { type: 'runtime.started', handle, launch: 1, command: ['cat'] },
    { type: 'status.changed', from: 'spawning', to: 'working', evidence: ['its agent was started'] },
    ...(ended === 'killed' ? [{ type: 'operation.started', operation: 'kill' }] : []),
    { type: 'status.changed', from: 'working', to: ended, evidence: [`it was ${ended}`] },
  ]
  const at = new Date(Date.now() - 3_600_000).toISOString()
  writeFileSync(file, events.map((event, index) => `${JSON.stringify({ seq: index + 1, at, ...event })}\n`).join(''))
}

/** Linux only: what the kernel counts of it. */
function describeProcess(pid) {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return Number(fields[11]) + Number(fields[12])
  }
  return {
    pid,
    /** Seconds of CPU so far. */
    cpu: () => ticks() / 100,
    memory: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024,
    /** Of one core, without the programs it runs. */
    async cpuShare(ms) {
      const before = ticks()
      await new Promise((resolve) => setTimeout(resolve, ms))
      return ((ticks() - before) * 10) / ms
    },
  }
}
