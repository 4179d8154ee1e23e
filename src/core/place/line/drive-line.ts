// Carries out what decide-line.ts decides, in its order: first what must not be forgotten, then the acts. The line of a real
// place and those of the simulation differ only in what they are given here.
import { decideLine } from './decide-line.ts'
import { type LineAct, type LineEvent, type LineMemory, newLine } from './line-state.ts'

export interface LinePorts {
  memory(): LineMemory
  /** Durable when it returns. */
  keep(change: Partial<LineMemory>): void
  /** Starts it; what comes of it is an event. */
  act(act: LineAct): void
  /** Nothing can be written at home. What is on disk may be wrong from now on, so this process must end. */
  giveUp(error: unknown): void
  now(): number
}

/** `decide`: a test gives another one, to see that breaking a rule is noticed. */
export function driveLine(ports: LinePorts, decide = decideLine): (event: LineEvent) => void {
  let line = newLine()
  return (event) => {
    const step = decide(line, ports.memory(), event, ports.now())
    if (step.keep !== null) {
      try {
        ports.keep(step.keep)
      } catch (error) {
        return ports.giveUp(error)
      }
    }
    line = step.line
    for (const act of step.acts) ports.act(act)
  }
}
