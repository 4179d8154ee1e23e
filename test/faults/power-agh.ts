// A session of agh: prompts, a permission that holds from then on, its end and its return, with the power cut in between.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunResult } from '../support/ao-home.ts'
import { createTempHome } from '../support/temp-home.ts'
import { testProgram } from '../support/test-program.ts'
import type { Life, Scene } from './power-loss.ts'
import { message, wording } from './power-next.ts'

const AGH = new URL('../../dist/agh.js', import.meta.url).pathname

export interface AghScene extends Scene {
  sh(script: string, env: NodeJS.ProcessEnv): RunResult
}

export async function createAgh(at?: string): Promise<AghScene> {
  const temp = createTempHome(at)
  const workspace = join(temp.home, 'repo')
  const files = {
    '.agh/config.toml': '[http]\nport = 0\n',
    '.agh/agents/general/AGENT.md': `---\ncommand: ${JSON.stringify([process.execPath, testProgram('acp-agent')])}\n---\n`,
    'repo/README.md': '# app\n',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(temp.home, name, '..'), { recursive: true })
    writeFileSync(join(temp.home, name), content)
  }
  const own = { ...temp.env, FAKE_ACP: 'resume' }
  const run = (command: string, args: string[], env: NodeJS.ProcessEnv): RunResult => {
    const done = spawnSync(command, args, {
      cwd: workspace,
      env: { ...own, ...env },
      encoding: 'utf8',
      input: '',
    })
    return { stdout: done.stdout, stderr: done.stderr, exitCode: done.status, signal: done.signal }
  }
  return {
    home: temp.home,
    repo: workspace,
    env: own,
    program: AGH,
    run: (args, env = {}) => run(process.execPath, [AGH, ...args], env),
    sh: (script, env) => run('bash', ['-c', `agh() { '${process.execPath}' '${AGH}' "$@"; }; ${script}`], env),
    cleanup: temp.cleanup,
  }
}

const ID = 'work'

export const AGH_LIFE: Life<AghScene> = {
  name: 'one session of agh',
  create: createAgh,
  steps: [
    ['new', (agh, env) => agh.run(['session', 'new', '--name', ID], env)],
    ['prompt', (agh, env) => agh.run(['session', 'prompt', ID, 'say the first answer'], env)],
    [
      'approve',
      (agh, env) =>
        agh.sh(
          `agh session prompt ${ID} 'ask-with allow_once,allow_always,reject_once touch it' & until agh session approve ${ID} -d allow-always; do sleep 0.05; done; wait`,
          env,
        ),
    ],
    [
      'second prompt',
      (agh, env) => agh.run(['session', 'prompt', ID, 'say the second answer\ntool t1\nstream 40'], env),
    ],
    ['stop', (agh, env) => agh.run(['session', 'stop', ID], env)],
    ['resume', (agh, env) => agh.run(['session', 'resume', ID], env)],
    ['third prompt', (agh, env) => agh.run(['session', 'prompt', ID, 'say the third answer'], env)],
    ['daemon stop', (agh, env) => agh.run(['daemon', 'stop'], env)],
  ],
  async *check(_agh, { done, random, ask }) {
    const first = random.pick([
      ['session', 'list', '--all'],
      ['doctor', '--fix'],
      ['session', 'history', ID],
      ['daemon', 'start'],
    ])
    const answer = await ask(first)
    yield* wording(first, answer)
    if (!done.has('new')) {
      const args = ['session', 'new', '--name', ID, '--json']
      const again = await ask(args)
      if (again.exitCode !== 0) yield message(args, again)
      return
    }
    const listed = await ask(['session', 'list', '--all', '--json'])
    if (listed.exitCode !== 0 || !listed.stdout.includes(`"${ID}"`)) return yield message(['session', 'list'], listed)
    const history = await ask(['session', 'history', ID])
    if (history.exitCode !== 0) yield message(['session', 'history'], history)
    for (const [step, text] of [
      ['prompt', 'first answer'],
      ['second prompt', 'second answer'],
      ['third prompt', 'third answer'],
    ] as const) {
      if (done.has(step) && !history.stdout.replaceAll(`say the ${text}`, '').includes(text))
        yield `the history lost the ${text}: ${history.stdout}`
    }
    const decided = await ask(['session', 'events', ID, '--type', 'permission'])
    if (done.has('approve') && !/allow-always/.test(decided.stdout)) yield `the decision is gone: ${decided.stdout}`
    const resumed = await ask(['session', 'resume', ID])
    if (resumed.exitCode !== 0) yield message(['session', 'resume'], resumed)
    const prompted = await ask(['session', 'prompt', ID, 'say hello again'])
    if (prompted.exitCode !== 0) yield message(['session', 'prompt'], prompted)
    const doctor = await ask(['doctor', '--json'])
    yield* wording(['doctor'], doctor)
    if (/"level":"fail"/.test(doctor.stdout)) yield message(['doctor'], doctor)
  },
}
