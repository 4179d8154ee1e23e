// The commands after a power loss: the first as people give it, all others answered by one process, `test/fixtures/asked-here.ts`, which
// was started after it and so has seen nothing of another state.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RunResult } from '../support/ao-home.ts'
import { testProgram } from '../support/test-program.ts'
import type { Scene } from './power-loss.ts'

export interface Asked {
  args: string[]
}

export interface Asker {
  ask(args: string[]): Promise<RunResult>
  end(): void
}

export function createAsker({ program, repo, env, run }: Scene, more: NodeJS.ProcessEnv): Asker {
  let child: ChildProcess | undefined
  let count = 0
  const start = (): ChildProcess => {
    const options = { cwd: repo, env: { ...env, ...more } }
    const one = spawn(process.execPath, [testProgram('asked-here'), program], {
      ...options,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // Each question waits for its end, too.
    return one.setMaxListeners(0)
  }
  return {
    async ask(args) {
      if (count++ === 0) return run(args, more)
      child ??= start()
      const ended = once(child, 'exit').then(([code, signal]): RunResult => {
        return { stdout: '', stderr: 'the process ended', exitCode: code, signal }
      })
      child.send({ args } satisfies Asked)
      const answered = once(child, 'message').then(([answer]) => answer as RunResult)
      return Promise.race([answered, ended])
    },
    end: () => void child?.kill('SIGKILL'),
  }
}
