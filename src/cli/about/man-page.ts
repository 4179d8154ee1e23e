// The manual page of a program, from the same tables as help and documentation.
import { AO_VERSION } from '../../lib/version.ts'
import type { Command } from '../command.ts'
import { argumentLabel, type HelpGroup, optionLabel, usageLine } from '../help.ts'

export interface ManPage {
  program: 'ao' | 'agh'
  about: string
  groups: HelpGroup[]
  /** Variable and meaning. */
  environment: ReadonlyArray<readonly [string, string]>
  /** Code and meaning. */
  exitCodes: ReadonlyArray<readonly [number, string]>
  seeAlso: string
}

export function renderManPage(page: ManPage): string {
  const { program, about, groups, environment, exitCodes, seeAlso } = page
  return `${[
    `.TH ${program.toUpperCase()} 1 "" "ao-fleet ${AO_VERSION}" "User Commands"`,
    '.SH NAME',
    `${program} \\- ${roff(about)}`,
    '.SH SYNOPSIS',
    `.B ${program}`,
    roff('<command> [options]'),
    ...groups.flatMap(({ title, commands }) => [
      `.SH ${roff(title.toUpperCase())}`,
      ...commands.flatMap(renderCommand),
    ]),
    '.SH ENVIRONMENT',
    ...environment.flatMap(([name, meaning]) => ['.TP', `.B ${roff(name)}`, roff(meaning)]),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, roff(meaning)]),
    '.SH SEE ALSO',
    roff(seeAlso),
  ].join('\n')}\n`
}

function renderCommand(command: Command): string[] {
  const args = Object.entries(command.args).map(([name, spec]) => [argumentLabel(name, spec), spec.about] as const)
  const options = Object.entries(command.options).map(
    ([name, spec]) => [optionLabel(name, spec).trim(), spec.about] as const,
  )
  return [
    `.SS ${roff(`${command.program ?? 'ao'} ${usageLine(command)}`)}`,
    roff(`${command.about}.`),
    ...(command.details ? ['.PP', roff(command.details)] : []),
    ...[...args, ...options].flatMap(([label, about]) => ['.TP', `.B ${roff(label)}`, roff(about)]),
  ]
}

/** Backslashes, dashes and quotation marks are literal, and no line is taken for a command. */
function roff(text: string): string {
  return text
    .replaceAll('`', '')
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .split('\n')
    .map((line) => line.trim().replace(/^\./, '\\&.'))
    .filter((line) => line !== '')
    .join('\n')
}
