// What the programs of this folder are told: `--help` and a misspelt option are answered with how they are used.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export function readOptions<T extends NonNullable<ParseArgsConfig['options']>>(usage: string, options: T) {
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ allowPositionals: true, options: all as T & typeof all })
    if (!(values as { help?: boolean }).help) return { values, positionals }
    console.log(usage)
    process.exit(0)
  } catch (error) {
    console.error(`error: ${(error as Error).message}\n\n${usage}`)
    process.exit(2)
  }
}

/** Above zero, or undefined; anything else is answered with an error. */
export function numberOf(name: string, value: string | undefined): number | undefined {
  const number = Number(value)
  if (value === undefined || number > 0) return value === undefined ? undefined : number
  console.error(`error: --${name} is a number above zero, not ${value}`)
  process.exit(2)
}
