// `ao` in a thread beside the test, which waits for it as for a process: what starts one and loads the program for every command
// is most of what a flow takes. For commands that are not to be killed, and whose process is not the matter.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { HereWorld } from './ao-here.ts'
import type { RunResult } from './ao-home.ts'
import { testProgram } from './test-program.ts'

export interface AoBeside {
  args: string[]
  world: HereWorld
  ended: Int32Array
}

const LONGEST_MS = 180_000
let thread: Worker | undefined

export function runBeside(args: string[], world: HereWorld): RunResult {
  thread ??= startThread()
  const ended = new Int32Array(new SharedArrayBuffer(4))
  const { port1, port2 } = new MessageChannel()
  const request: AoBeside & { answers: typeof port2 } = { args, world, ended, answers: port2 }
  thread.postMessage(request, [port2])
  const waited = Atomics.wait(ended, 0, 0, LONGEST_MS)
  const answer = receiveMessageOnPort(port1)?.message as RunResult | undefined
  port1.close()
  if (!answer) throw new Error(`ao ${args.join(' ')} in a thread: ${waited}`)
  return answer
}

function startThread(): Worker {
  const started = new Worker(testProgram('ao-beside'), {
    workerData: testProgram('ao-here'),
    execArgv: [],
    // What is larger makes each git it starts more expensive.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
  started.unref()
  return started
}
