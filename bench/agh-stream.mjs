// 10,000 small updates from an agent to a client: through agh's log and daemon, through acpx, and into a bare parser.
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { AGH, createPlace, SCRIPTED } from './agh-place.mjs'
import { compare, report } from './measure.mjs'

const ACPX = new URL('../node_modules/acpx/dist/cli.js', import.meta.url).pathname
const UPDATES = 10_000
const ROUNDS = 7
const PROMPT = `stream ${UPDATES}`

export async function run() {
  console.log(`agh: ${UPDATES} updates from an agent to a client (raw limit: the agent into a bare JSON parser)`)
  const place = createPlace()
  try {
    const { id } = JSON.parse(place.run(['session', 'new', '--cwd', place.workspace, '-o', 'json'])).session
    const command = (file, ...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
        cwd: place.workspace,
        env: place.env,
        maxBuffer: 1 << 28,
      })
      if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${stderr}`)
      return stdout
    }
    const agh = (prompt) => command(AGH, 'session', 'prompt', id, prompt, '-o', 'jsonl')
    const acpx = (...args) => command(ACPX, '--agent', SCRIPTED.join(' '), '--format', 'json', ...args)
    acpx('sessions', 'new')
    requireAll('agh', agh(PROMPT))
    requireAll('acpx', acpx('exec', PROMPT))
    const parser = await startParser()
    const medians = await compare(
      {
        raw: () => parser.prompt(PROMPT),
        agh: () => agh(PROMPT),
        aghEmpty: () => agh('stream 0'),
        exec: () => acpx('exec', PROMPT),
        execEmpty: () => acpx('exec', 'stream 0'),
      },
      ROUNDS,
    )
    // Its saved sessions take seconds for each turn, so they are measured once less often.
    const saved = await compare({ saved: () => acpx(PROMPT) }, 1)
    parser.close()
    report('the agent into a bare parser', medians.raw, medians.raw)
    report('agh session prompt: log, daemon, command', medians.agh, medians.raw)
    report('acpx exec: no log, starts its agent', medians.exec, medians.raw)
    report('acpx, saved session', saved.saved, medians.raw)
    faster('whole command, against acpx exec', medians.exec, medians.agh, 3)
    faster('whole command, against a saved session of acpx', saved.saved, medians.agh, 3)
    faster('without starts, against acpx exec', medians.exec - medians.execEmpty, medians.agh - medians.aghEmpty)
    acpx('sessions', 'close')
  } finally {
    place.remove()
  }
}

function requireAll(name, output) {
  const count = output.toString().split('agent_message_chunk').length - 1
  if (count !== UPDATES) throw new Error(`${name} showed ${count} updates`)
}

function faster(what, theirs, ours, aim) {
  const verdict = aim === undefined ? '' : `  aim ≥ ${aim.toFixed(2)}${theirs / ours >= aim ? '' : '  MISSED'}`
  console.log(`  ${`agh's throughput, ${what}`.padEnd(64)} ${(theirs / ours).toFixed(2).padStart(6)} ×${verdict}`)
}

/** The same agent, whose lines are parsed and nothing else. */
async function startParser() {
  const [file, ...args] = SCRIPTED
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => waiting.get(JSON.parse(line).id)?.())
  let last = 0
  const send = (method, params) => {
    const id = ++last
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  await send('initialize', { protocolVersion: 1 })
  return {
    prompt: (text) => send('session/prompt', { prompt: [{ type: 'text', text }] }),
    close: () => child.kill(),
  }
}
