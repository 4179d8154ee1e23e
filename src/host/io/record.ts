// The recording of an agent's terminal by its own host: from the first byte to the last, whoever else lives or dies.
import { REDRAW_FROM_HERE } from '../../core/recording/redraw.ts'
import { secretValues } from '../../core/text/redact.ts'
import { systemClock } from '../../lib/clock.ts'
import { createRecorder, type Recorder } from '../../store/recording/recorder.ts'
import { recordingDirectory } from '../../store/recording/recording-files.ts'
import type { AgentTerminal } from './pty.ts'

export function recordAgent(
  stateDir: string,
  { spawnId, env }: { spawnId: string; env: NodeJS.ProcessEnv },
  agent: AgentTerminal,
): Recorder {
  const secrets = secretValues(env)
  const recorder = createRecorder({
    directory: recordingDirectory(stateDir),
    launch: spawnId,
    size: agent.size(),
    secrets: () => secrets,
    redraw: () => REDRAW_FROM_HERE + agent.screen.picture(),
    now: () => systemClock.now().getTime(),
  })
  agent.screen.onDrawn((data) => recorder.output(data), { answers: false })
  agent.onResize((size) => recorder.resize(size))
  return recorder
}
