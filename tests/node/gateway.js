// The gateway under test and the official SDKs, pointed at it. They retry nothing.

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

export const url = process.env.MODELGATE_TEST_URL;
export const token = process.env.MODELGATE_TEST_TOKEN;
if (!url || !token) throw new Error("start these tests through tests/support/with_gateway.py");

// The model's name chooses the dialect that the upstream speaks.
export const upstreams = ["chat", "messages", "generate", "responses"];

export const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
export const anthropic = new Anthropic({ baseURL: url, authToken: token, apiKey: null, maxRetries: 0 });
export const genai = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });

export const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const seen = `image/png, ${pixel.length} characters`;
export const weather = {
  name: "get_weather",
  description: "Tells the weather.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
export const askWeather = 'Please: <<call get_weather {"city": "Oslo"}>>';
