// Vectors from an answer, and how near they are to each other.

import { count, fields, list } from "../stream/fields";

/** The vectors of an embeddings answer, in the order of the inputs. */
export function vectorsOf(body: unknown): number[][] {
  return list(fields(body).data)
    .map((item) => fields(item))
    .sort((a, b) => (count(a.index) ?? 0) - (count(b.index) ?? 0))
    .map(({ embedding }) => list(embedding).map(Number));
}

/** The cosine of the angle between two vectors: 1 the same way, 0 nothing in common. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  return dot / (length(a) * length(b) || 1);
}

function length(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}
