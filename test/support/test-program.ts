// A program of the tests as build-once.ts made it from test/fixtures or test/store/fixtures; in the package it lies beside the suites.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export function testProgram(name: string): string {
  const packed = join(import.meta.dirname, `${name}.js`)
  return existsSync(packed) ? packed : join(import.meta.dirname, '..', '..', 'dist', `.test-${name}.js`)
}
