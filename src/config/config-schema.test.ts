import { describe, expect, it } from 'vitest'
import { configJsonSchema } from './config-schema.ts'

type Schema = Record<string, unknown> & { properties: Record<string, Schema> }

describe('configJsonSchema', () => {
  const schema = configJsonSchema() as Schema
  const project = (schema.properties.projects as unknown as { additionalProperties: Schema }).additionalProperties

  it('refuses unknown keys where the loader does', () => {
    expect(schema.additionalProperties).toBe(false)
    expect(project.additionalProperties).toBe(false)
    expect(project.properties.agentConfig?.additionalProperties).not.toBe(false)
  })

  it('asks only for what a person must write', () => {
    expect(schema.required).toEqual(['projects'])
    expect(project.required).toEqual(['path'])
  })

  it('describes every key of a project and of the top, except plain switches', () => {
    const undescribed = (of: Schema) =>
      Object.entries(of.properties).flatMap(([key, one]) => (one.description ? [] : [key]))
    expect(undescribed(schema)).toEqual([])
    expect(undescribed(project)).toEqual([])
  })

  it('carries defaults, ranges, words and patterns', () => {
    expect(schema.properties.port).toMatchObject({ type: 'integer', minimum: 0, maximum: 65_535, default: 3000 })
    expect(schema.properties.readyThresholdMs).toMatchObject({ default: 300_000 })
    expect(schema.properties.readyThresholdMs).not.toHaveProperty('maximum')
    expect(project.properties.sessionPrefix?.pattern).toBe('^[A-Za-z0-9_][A-Za-z0-9_-]*$')
    expect(project.properties.agentConfig?.properties.permissions?.enum).toContain('permissionless')
  })

  it('can be referred to from the file itself', () => {
    expect(schema.properties).toHaveProperty('$schema')
    expect(() => JSON.stringify(schema)).not.toThrow()
  })
})
