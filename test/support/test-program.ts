// A program of the tests as build-once.ts made it from test/fixtures or test/store/fixtures.
import { join } from 'node:path'

export function testProgram(name: string): string {
  return join(import.meta.dirname, '..', '..', 'dist', `.test-${name}.js`)
}
