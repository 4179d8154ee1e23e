// Whether terminals are recorded. Apart from the files, because every list of sessions loads this one.

/** `AO_RECORDING=off`, where ao is started: no terminal is recorded. */
export function recordsTerminals(env: NodeJS.ProcessEnv): boolean {
  return env.AO_RECORDING !== 'off'
}
