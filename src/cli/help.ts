// `--help`, built from the same tables that parse.

import type { ArgumentSpec, ArgumentSpecs, Command, OptionSpec } from './command.ts'
import { withJq } from './print/select-json.ts'
import type { Style } from './print/style.ts'

export interface HelpGroup {
  title: string
  commands: Command[]
}

export function renderCommandHelp(command: Command, style: Style): string {
  const args = Object.entries(command.args).map(([name, spec]) => [argumentLabel(name, spec), spec.about] as const)
  const options = [
    ...Object.entries(withJq(command.options)),
    ['help', { short: 'h', about: 'Show this help' }] as const,
  ]
  return [
    `${style.bold('Usage:')} ${command.program ?? 'ao'} ${usageLine(command)}`,
    '',
    `${command.about}.${command.details ? `\n${command.details}` : ''}`,
    ...section('Arguments', args, style),
    ...section(
      'Options',
      options.map(([name, spec]) => [optionLabel(name, spec), spec.about] as const),
      style,
    ),
    ...section(
      'Examples',
      (command.examples ?? []).map(({ line, about }) => [line, about] as const),
      style,
    ),
    ...(command.json ? ['', style.bold('JSON:'), `  ${command.json}`] : []),
  ].join('\n')
}

export interface Overview {
  program: 'ao' | 'agh'
  about: string
  firstSteps: string
}

const AO_OVERVIEW: Overview = {
  program: 'ao',
  about: 'ao runs many coding agents in parallel, each in its own git worktree.',
  firstSteps: 'ao init, then ao spawn <issue>, then ao status.',
}

export function renderOverview(groups: HelpGroup[], style: Style, overview: Overview = AO_OVERVIEW): string {
  const { program, about, firstSteps } = overview
  return [
    about,
    '',
    `${style.bold('Usage:')} ${program} <command> [options]`,
    ...groups.flatMap(({ title, commands }) =>
      section(
        title,
        commands.map((command) => [command.name, command.about] as const),
        style,
      ),
    ),
    '',
    `${style.bold('First steps:')} ${firstSteps}`,
    `${program} <command> --help says more about one command; ${program} --version prints the version.`,
  ].join('\n')
}

export function usageLine(command: Command): string {
  const options = Object.keys(command.options).length > 0 ? ' [options]' : ''
  return `${command.name}${options}${argumentsUsage(command.args)}`
}

export function optionLabel(name: string, spec: OptionSpec): string {
  const short = spec.short ? `-${spec.short}, ` : '    '
  return `${short}--${name}${spec.value ? ` <${spec.value}>` : ''}`
}

export function argumentLabel(name: string, spec: ArgumentSpec): string {
  const shown = spec.variadic ? `${name}...` : name
  return spec.required ? `<${shown}>` : `[${shown}]`
}

export function argumentsUsage(args: ArgumentSpecs): string {
  return Object.entries(args)
    .map(([name, spec]) => ` ${argumentLabel(name, spec)}`)
    .join('')
}

function section(title: string, rows: ReadonlyArray<readonly [string, string]>, style: Style): string[] {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([label]) => label.length))
  return ['', style.bold(`${title}:`), ...rows.map(([label, about]) => `  ${label.padEnd(width)}  ${about}`)]
}
