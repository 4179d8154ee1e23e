// Colours, when someone is there to see them.

export interface Style {
  hasColour: boolean
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  blue(text: string): string
  magenta(text: string): string
  cyan(text: string): string
}

export type Paint = Exclude<keyof Style, 'hasColour'>

const CODES: Record<Paint, [open: number, close: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
}

export function createStyle(enabled: boolean): Style {
  const paint = ([open, close]: [number, number]) =>
    enabled ? (text: string) => `\u001b[${open}m${text}\u001b[${close}m` : (text: string) => text
  const paints = Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, paint(codes)]))
  return { hasColour: enabled, ...(paints as unknown as Omit<Style, 'hasColour'>) }
}

/** FORCE_COLOR wins over NO_COLOR, as it does in Node itself. */
export function wantsColour(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if (env.NO_COLOR || env.CLICOLOR === '0') return false
  return stream.isTTY === true && env.TERM !== 'dumb'
}
