// Whether the machine has nothing better to do. A session in a turn is not busy by itself: it mostly waits for its model, and
// what it computes is in these figures. Pure.

export interface MachineLoad {
  /** The load average of the last minute. */
  load: number
  cores: number
  /** Share of all cores that programs of ordinary priority had since the last sample; null: this system does not say. */
  foreground: number | null
}

const MOST_LOAD = 0.75
const MOST_FOREGROUND = 0.5

export function mayStart({ load, cores, foreground }: MachineLoad): boolean {
  return load <= cores * MOST_LOAD && (foreground ?? 0) <= MOST_FOREGROUND
}

/** What runs has the lowest priority, and is itself part of the load average: two samples in a row have to show others. */
export function mustStop(samples: readonly MachineLoad[]): boolean {
  const last = samples.slice(-2)
  return (
    last.length === 2 &&
    last.every(({ load, cores, foreground }) =>
      foreground === null ? load > cores * (1 + MOST_LOAD) : foreground > MOST_FOREGROUND,
    )
  )
}
