// An exit like gh's: its message on stderr and its exit code.

export class GhError extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'GhError'
    this.exitCode = exitCode
  }
}

/** `--help` was among the flags. */
export class GhHelpError extends Error {}
