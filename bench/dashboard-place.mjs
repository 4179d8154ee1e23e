// A home with one configuration, records without agents, and the real `ao start` over them.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAoPlace, GENERIC } from './home.mjs'

const STATUSES = ['working', 'working', 'needs_input', 'review_pending', 'stuck', 'ci_failed', 'done', 'merged']

export function createBoardPlace() {
  const place = createAoPlace({
    app: `sessionPrefix: app, runtime: tmux, ${GENERIC}`,
    real: `sessionPrefix: re, runtime: tmux, ${GENERIC}`,
  })
  const { home, cwd, ao } = place
  const made = new Date(Date.now() - 3_600_000).toISOString()
  const hash = createHash('sha256').update(cwd).digest('hex').slice(0, 12)
  const sessions = join(home, '.agent-orchestrator', `${hash}-app`, 'sessions')
  mkdirSync(sessions, { recursive: true })
  return {
    ...place,
    /** As the store writes it: a new file in the place of the old one. */
    writeSession(n, { title, ended }) {
      const id = `app-${n}`
      const pairs = {
        project: 'app',
        status: ended ?? STATUSES[n % STATUSES.length],
        ...(ended === undefined ? {} : { endedAs: ended }),
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

/** Linux only: what the kernel counts of it. */
function describeProcess(pid) {
  const ticks = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return Number(fields[11]) + Number(fields[12])
  }
  return {
    pid,
    memory: () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024,
    /** Of one core, without the programs it runs. */
    async cpuShare(ms) {
      const before = ticks()
      await new Promise((resolve) => setTimeout(resolve, ms))
      return ((ticks() - before) * 10) / ms
    },
  }
}
