// Where checks are listed, gates are told apart from those of CI.
export function gateName(name: string): string {
  return `gate: ${name}`
}
